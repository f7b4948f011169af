import { parseDatabaseAddress } from './address.js';
import { connectionSettings, type DatabaseOptions } from './driver.js';
import { createSessionPool } from './sessions.js';
import type { DatabaseSql } from './sql.js';
import { createStatementPool } from './statements.js';

export type { DatabaseOptions } from './driver.js';
export type { DatabaseSql, Sql, Transaction } from './sql.js';

export interface Database {
  readonly sql: DatabaseSql;
  /** Lets running statements finish for up to `graceSeconds` (default 5), then closes every connection. */
  close(graceSeconds?: number): Promise<void>;
}

/**
 * Opens the database at `uri`. Nothing is sent before the first statement, so it never fails for a server that is
 * away; statements then fail, each within seconds, with errors that `isConnectionFailure` recognizes, and work again
 * as soon as the server is back.
 *
 * The driver's own pool cannot promise that. A transaction whose connection dies makes `postgres` 3.4 write to a
 * socket that is gone and ends the process (its issues 1154, 1208); a connection object that was lost and is used
 * again may run what is left of a dead transaction on its new session (1216), or wait for good. So here a lost
 * connection object is never used again: `statements.ts` and `sessions.ts` build on that.
 *
 * @param uri as `parseDatabaseAddress` reads it
 * @throws Error when the address is not one of a single PostgreSQL server.
 */
export function openDatabase(uri: string, options: DatabaseOptions): Database {
  const settings = connectionSettings(parseDatabaseAddress(uri), options);
  const maxConnections = Math.max(2, options.maxConnections ?? 10);
  const statements = createStatementPool(settings, Math.ceil(maxConnections / 2), options.logger);
  const sessions = createSessionPool(settings, Math.floor(maxConnections / 2));

  const sql = new Proxy(statements.current(), {
    apply: (_first, _this, parameters) => Reflect.apply(statements.current(), undefined, parameters) as unknown,
    get: (_first, name) => (name === 'begin' ? sessions.begin : (Reflect.get(statements.current(), name) as unknown)),
  });
  return {
    // The driver's type plus our `begin`, which stands in for the driver's under the same name.
    sql: sql,
    close: async (graceSeconds = 5) => {
      await Promise.all([statements.close(graceSeconds), sessions.close(graceSeconds)]);
    },
  };
}
