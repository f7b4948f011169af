import type { Log } from '@plumbline/contract/contract-types';
import type { Sql } from '../../../database/connection.js';
import type { Clock } from '../../clock.js';
import { startRounds, type Rounds } from '../rounds.js';
import { deleteExpiredReplies } from './idempotency-keys.store.js';

const intervalMs = 3_600_000;
/** Replies per transaction, so that locks are held briefly. */
const batchSize = 1000;

/** Starts to delete expired replies every hour, in the background: they may contain secrets. */
export function startReplySweep(options: { readonly sql: Sql; readonly clock: Clock; readonly log: Log }): Rounds {
  const { sql, clock, log } = options;
  const rounds = startRounds({
    pollMs: intervalMs,
    round: async (again, isStopped) => {
      if (!isStopped() && (await deleteExpiredReplies(sql, clock.now(), batchSize)) === batchSize) again();
    },
    failed: (error) => {
      log.warn({ err: error }, 'expired idempotency replies cannot be deleted; will retry');
    },
  });
  rounds.wake();
  return rounds;
}
