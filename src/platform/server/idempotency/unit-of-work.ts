import type { DatabaseSql, Transaction } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';

/** Dependencies of a handler whose changes belong to a larger transaction. */
export interface UnitOfWork {
  readonly dependencies: PlatformDependencies;
  /** Wakes the background work that the handler has asked for. Call it after the commit. */
  readonly wake: () => void;
}

/**
 * Puts all changes of a handler into one transaction: its statements run there, its transactions become savepoints, and
 * background work is woken later, because it cannot see uncommitted rows.
 *
 * Teams are an exception: they are in the database of the records, and are written while this transaction is open. See
 * `KeyedAttempt`.
 */
export function unitOfWork(dependencies: PlatformDependencies, transaction: Transaction): UnitOfWork {
  const { mails, syncJobs, storeTasks, syncRunEnded } = dependencies;
  const wakes: (() => void)[] = [];
  const later =
    <Parameters extends readonly unknown[]>(wake: (...parameters: Parameters) => void) =>
    (...parameters: Parameters): void => {
      wakes.push(() => {
        wake(...parameters);
      });
    };
  return {
    dependencies: {
      ...dependencies,
      sql: nested(transaction),
      mails: {
        wake: later(() => {
          mails.wake();
        }),
      },
      syncJobs: {
        wake: later(() => {
          syncJobs.wake();
        }),
        recheck: later((runId: string) => {
          syncJobs.recheck(runId);
        }),
      },
      storeTasks: {
        wake: later(() => {
          storeTasks.wake();
        }),
      },
      syncRunEnded: later(syncRunEnded),
    },
    wake: () => {
      for (const wake of wakes) wake();
    },
  };
}

type Work<T> = (transaction: Transaction) => Promise<T>;

/** A transaction as a database: transactions in it are savepoints. */
function nested(transaction: Transaction): DatabaseSql {
  const begin = <T>(...parameters: [work: Work<T>] | [mode: string, work: Work<T>]): Promise<T> => {
    if (parameters.length === 2) throw new Error('A transaction inside another one cannot have a mode');
    return transaction.savepoint(parameters[0]);
  };
  const beginFor = <T>(_group: string, work: Work<T>): Promise<T> => transaction.savepoint(work);
  const begins: Readonly<Record<string | symbol, unknown>> = { begin, beginFor };
  const sql: unknown = new Proxy(transaction, {
    get: (target, name): unknown => (Object.hasOwn(begins, name) ? begins[name] : Reflect.get(target, name)),
  });
  return sql as DatabaseSql; // the statements of the transaction, and what begins others, which the proxy provides
}
