import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@plumbline/contract/contract-types';
import { errorCode } from '@plumbline/contract/system/error-code';
import { isConnectionFailure } from '../../../database/failures.js';

const pauseMs = 1000;

export interface DatabaseWait {
  /** How long to try after the first failure. */
  readonly seconds: number;
  /** Ends the wait, as its time does. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Does `work`, and again while the database cannot be reached: after a power failure, or where all containers start at
 * once, the database answers later than the server starts.
 *
 * @throws what `work` has thrown last: a refused log-in at once, an unreachable database when the time has passed
 */
export async function waitForDatabase<T>(work: () => Promise<T>, { seconds, signal, log }: DatabaseWait): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await work();
    } catch (error) {
      if (!isConnectionFailure(error) || performance.now() + pauseMs > end || signal.aborted) throw error;
      if (isFirst) log.warn({ code: errorCode(error), seconds }, 'waiting for the database, which is unreachable');
      await delay(pauseMs, undefined, { signal }).catch(() => undefined); // a stop tries a last time, and gives up then
    }
  }
}
