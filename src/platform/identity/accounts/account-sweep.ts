import type { Log } from '@plumbline/contract/contract-types';
import type { DatabaseSql } from '../../../database/connection.js';
import { noContext } from '../../tenancy/audit/audit.store.js';
import type { Clock } from '../../clock.js';
import { deleteUnverifiedAccount, lockExpiredAccounts } from './unverified-accounts.store.js';

/** Removes accounts that remain unverified for 7 days, in the background. */
export interface AccountSweep {
  /** Removes accounts that are due now. @returns the number of removed accounts */
  sweep(): Promise<number>;
  /** Stops after the current sweep. */
  stop(): Promise<void>;
}

const intervalMs = 3_600_000;
/** Accounts per transaction, so that locks are held briefly. */
const batchSize = 50;

/** Starts the sweep. Several servers can sweep one database; each account is removed by one of them. */
export function startAccountSweep(options: {
  readonly sql: DatabaseSql;
  readonly clock: Clock;
  readonly log: Log;
}): AccountSweep {
  let running: Promise<number> | null = null;
  let stopped = false;
  const sweepAll = async (): Promise<number> => {
    try {
      let count = 0;
      for (let removed = batchSize; removed === batchSize && !stopped; count += removed) {
        removed = await sweepBatch(options.sql, options.clock.now());
      }
      return count;
    } finally {
      running = null;
    }
  };
  const sweep = (): Promise<number> => (running ??= sweepAll());
  const attempt = (): void => {
    sweep().then(
      (count) => {
        if (count > 0) options.log.info({ accounts: count }, 'unverified accounts removed');
      },
      (error: unknown) => {
        options.log.warn({ err: error }, 'unverified accounts cannot be removed; will retry');
      },
    );
  };
  const timer = setInterval(attempt, intervalMs);
  timer.unref();
  return {
    sweep,
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running?.catch(() => undefined); // logged by the attempt that started it
    },
  };
}

function sweepBatch(sql: DatabaseSql, now: Date): Promise<number> {
  return sql.begin(async (transaction) => {
    const ids = await lockExpiredAccounts(transaction, null, now, batchSize);
    for (const id of ids) await deleteUnverifiedAccount(transaction, id, unverifiedNote, noContext, now);
    return ids.length;
  });
}

/** The reason recorded in the audit log. */
export const unverifiedNote = 'not verified within 7 days';
