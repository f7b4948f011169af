import postgres from 'postgres';

import { readTexts, writeTexts } from './text-arrays.js';
import type { Log } from './log.js';
import { connectSocket } from './socket.js';
import type { Types } from './sql.js';

export interface DatabaseOptions {
  readonly logger: Log;
  /** Most connections at once, at least 2; half of them are for transactions. Default 10. */
  readonly maxConnections?: number;
  /** After this the server cancels a statement (SQLSTATE 57014). 0: the server's own setting. Default 30 000 ms. */
  readonly statementTimeoutMs?: number;
  /** Limit for making a connection, and for waiting until a transaction may begin. Default 5000 ms. */
  readonly connectTimeoutMs?: number;
}

/** What both pools know about the server. `onFailure` tells that a connection could not be made. */
export interface ConnectionSettings {
  readonly connectTimeoutMs: number;
  connect(own: { max: number; onclose: () => void; onFailure: () => void }): postgres.Sql<Types>;
}

/** Turns the options of a database into what every connection to it has. */
export function connectionSettings(uri: string, options: DatabaseOptions): ConnectionSettings {
  const connectTimeoutMs = options.connectTimeoutMs ?? 5000;
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  return {
    connectTimeoutMs,
    connect: ({ max, onclose, onFailure }) =>
      postgres(uri, {
        max,
        onclose,
        // Documented by the driver, missing in its types.
        ...{ socket: (address: unknown) => connectSocket(address, connectTimeoutMs, onFailure) },
        connect_timeout: connectTimeoutMs / 1000,
        // Every close is then one that we did not ask for; connections are few, so that none needs to be given back.
        idle_timeout: 0,
        max_lifetime: null,
        backoff: false,
        onnotice: (notice) => {
          options.logger.debug({ notice: notice['message'] }, 'PostgreSQL notice');
        },
        // The driver's own look at the array types would be a query of which nobody sees the failure: a connection that
        // is lost during it would end the process by an unhandled rejection.
        fetch_types: false,
        types: { bigint, texts },
        connection: {
          application_name: 'plumbline',
          statement_timeout: statementTimeoutMs,
          idle_in_transaction_session_timeout: statementTimeoutMs,
        },
      }),
  };
}

const bigint: postgres.PostgresType<number | string> = {
  to: 20,
  from: [20],
  serialize: (value: number | string) => String(value),
  parse: (digits: string) => (Number.isSafeInteger(Number(digits)) ? Number(digits) : digits),
};

/** `text[]`, by its object id (`select oid from pg_type where typname = '_text'`). */
const texts: postgres.PostgresType<readonly string[]> = {
  to: 1009,
  from: [1009],
  serialize: writeTexts,
  parse: readTexts,
};
