import { parseDatabaseAddress } from './address.js';
import { connectionSettings, type DatabaseOptions } from './driver.js';
import { createSessionPool, type TransactionCounts } from './sessions.js';
import { createShortages, type Shortages } from './shortages.js';
import type { DatabaseSql } from './sql.js';
import { createStatementPool } from './statements.js';
import { member, traced, tracedTransaction } from './trace-statements.js';

export type { DatabaseOptions } from './driver.js';
export type { DatabaseSql, Sql, Transaction } from './sql.js';

export interface Database {
  readonly sql: DatabaseSql;
  /** The number of running transactions, of transactions waiting for a connection, and the maximum. */
  transactions(): TransactionCounts;
  readonly shortages: Shortages;
  /** Lets running statements finish for up to `graceSeconds` (default 5), then closes all connections. */
  close(graceSeconds?: number): Promise<void>;
}

/**
 * Opens the database at `uri`. Connections are opened by the first statement, so this does not fail if the server is
 * down. Statements then fail within seconds, with errors that `isConnectionFailure` recognizes, and succeed again once
 * the server is back.
 *
 * The driver's own pool cannot guarantee this. When the connection of a transaction dies, `postgres` 3.4 writes to a
 * closed socket and ends the process (its issues 1154, 1208). A connection object that is reused after a loss may run
 * the rest of a dead transaction in its new session (1216), or wait forever. So this layer never reuses a lost
 * connection object; `statements.ts` and `sessions.ts` are based on that.
 *
 * @param uri in the format of `parseDatabaseAddress`
 * @throws Error when the address does not name a single PostgreSQL server.
 */
export function openDatabase(uri: string, options: DatabaseOptions): Database {
  const shortages = createShortages(options.logger);
  const settings = connectionSettings(parseDatabaseAddress(uri), options, shortages.note);
  const maxConnections = Math.max(2, options.maxConnections ?? 10);
  const statements = createStatementPool(settings, Math.ceil(maxConnections / 2), options.logger);
  const sessions = createSessionPool(settings, Math.floor(maxConnections / 2));

  const begin: typeof sessions.begin = (...parameters) => tracedTransaction(() => sessions.begin(...parameters));
  const beginFor: typeof sessions.beginFor = (group, work) => tracedTransaction(() => sessions.beginFor(group, work));
  const begins: Readonly<Record<string | symbol, unknown>> = { begin, beginFor };
  const sql: unknown = new Proxy(statements.current(), {
    apply: (_first, _this, parameters: unknown[]) =>
      traced(Reflect.apply(statements.current(), undefined, parameters) as unknown, parameters[0]),
    get: (_first, name) => (Object.hasOwn(begins, name) ? begins[name] : member(statements.current(), name)),
  });
  return {
    // The statements of the driver, with our `begin` instead of the driver's.
    sql: sql as DatabaseSql,
    shortages,
    transactions: sessions.counts,
    close: async (graceSeconds = 5) => {
      await Promise.all([statements.close(graceSeconds), sessions.close(graceSeconds)]);
    },
  };
}
