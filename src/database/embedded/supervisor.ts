import { setTimeout as delay } from 'node:timers/promises';
import { inspectPostmaster } from './inspection.js';
import { ensurePostmaster, type Postmaster, type PostmasterOptions } from './postmaster.js';

export interface Supervisor {
  /** Ends the supervision; waits for a pending restart, so that the server can be stopped afterwards. */
  stop(): Promise<void>;
}

/** The interval between checks of the server. */
const LOOK_MS = 500;
/** The first delay after a restart that failed or did not last; it doubles up to the maximum. */
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;
/** After running for this long, a server counts as recovered: the next restart is immediate again. */
const STABLE_MS = 60_000;

/**
 * Restarts the server of a cluster after it has died. Several processes may supervise one cluster: the first one to
 * start the server holds its lock file, and the others find it running.
 *
 * Connections use the address of the first start, so the server is restarted on the same port. While another program
 * holds the port, restarts fail and are tried again.
 */
export function supervise(options: PostmasterOptions, started: Postmaster): Supervisor {
  const { cluster, logger } = options;
  const port = Number(new URL(started.uri).port);
  const ending = new AbortController();
  const pause = (milliseconds: number): Promise<void> =>
    delay(milliseconds, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);

  const isEnding = (): boolean => ending.signal.aborted;

  const watch = async (): Promise<void> => {
    let backoff = 0;
    let since = Date.now();
    while (!isEnding()) {
      await pause(LOOK_MS);
      if (isEnding() || inspectPostmaster(cluster.data).running) continue;
      if (Date.now() - since > STABLE_MS) backoff = 0;
      logger.error({ retry_in_ms: backoff }, 'The embedded PostgreSQL has died; restarting it');
      await pause(backoff);
      if (isEnding()) break;
      backoff = backoff === 0 ? FIRST_BACKOFF_MS : Math.min(backoff * 2, LONGEST_BACKOFF_MS);
      since = Date.now();
      try {
        const { uri, pid } = await ensurePostmaster({ ...options, port });
        if (uri === started.uri) logger.warn({ pid }, 'The embedded PostgreSQL has been restarted');
        else logger.error({ pid }, 'The embedded PostgreSQL runs on another port; restart this process');
      } catch (error) {
        logger.error({ err: error }, 'The embedded PostgreSQL could not be restarted');
      }
    }
  };
  const watching = watch();
  return {
    stop: async () => {
      ending.abort();
      await watching;
    },
  };
}
