import type { Log } from '@plumbline/contract/contract-types';
import type { DatabaseSql } from '../../../database/connection.js';
import type { Clock } from '../../clock.js';
import { startRounds, type Rounds } from '../../server/rounds.js';
import { prune, type Retention } from './prune.js';
import { requestRecordPrunes } from './record-prunes.store.js';

const intervalMs = 3_600_000;

/**
 * Starts to delete old data every hour, in the background. Of the servers of one database, one at a time does. Old records
 * are deleted by store tasks, which are requested here.
 */
export function startRetention(options: {
  readonly sql: DatabaseSql;
  readonly clock: Clock;
  readonly log: Log;
  readonly retention: Retention;
  /** Days before today of which records are kept; null: all. */
  readonly recordDays: number | null;
}): Rounds {
  const { sql, clock, log, retention, recordDays } = options;
  const rounds = startRounds({
    pollMs: intervalMs,
    round: async (_again, isStopped) => {
      if (recordDays !== null) await requestRecordPrunes(sql, clock.now());
      const pruned = await prune(sql, clock.now(), retention, { dryRun: false, alone: true, isStopped });
      const deleted = pruned.filter(({ rows }) => rows > 0).map(({ what, rows }) => [what, rows] as const);
      if (deleted.length > 0) log.info({ deleted: Object.fromEntries(deleted) }, 'old data deleted');
    },
    failed: (error) => {
      log.warn({ err: error }, 'old data cannot be deleted; will retry');
    },
  });
  rounds.wake();
  return rounds;
}
