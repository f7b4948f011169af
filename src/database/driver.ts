import type { Socket } from 'node:net';
import postgres from 'postgres';

import type { DatabaseAddress } from './address.js';
import { readTexts, writeTexts } from './text-arrays.js';
import type { Log } from './log.js';
import { databaseSocket } from './socket.js';
import type { Types } from './sql.js';
import { withDeadline } from './statement-deadline.js';

export interface DatabaseOptions {
  readonly logger: Log;
  /** Maximum number of connections, at least 2; half of them are for transactions. Default 10. */
  readonly maxConnections?: number;
  /**
   * Statement timeout (SQLSTATE 57014). 0: the server's setting. Default 30 000 ms. A connection on which a statement
   * has no answer 5 s later is closed.
   */
  readonly statementTimeoutMs?: number;
  /** Sends only reads, so that `prefer-standby` in the address selects a standby. Default: false. */
  readonly readsOnly?: boolean;
  /** Time limit for opening a connection, and for waiting until a transaction can begin. Default 5000 ms. */
  readonly connectTimeoutMs?: number;
}

/** After the statement timeout, the time in which the server must have answered. */
const ANSWER_MS = 5000;

/** Settings of both pools. `onFailure` reports that a connection could not be opened. */
export interface ConnectionSettings {
  readonly connectTimeoutMs: number;
  /** The statement that begins a transaction in a mode, such as `isolation level serializable`, or ''. */
  begin(mode: string): string;
  connect(own: {
    max: number;
    onclose: () => void;
    onFailure: () => void;
    /** Called when a statement has no answer at its deadline. Must call `end`, which closes the connections. */
    onSilence: () => void;
    /** Called when a connection to a standby was opened. */
    onStandby?: () => void;
  }): postgres.Sql<Types>;
}

/**
 * Converts the options of a database to the settings of its connections.
 *
 * @param failed called with the error of each statement that failed
 */
export function connectionSettings(
  address: DatabaseAddress,
  options: DatabaseOptions,
  failed: (error: unknown) => void,
): ConnectionSettings {
  const { uri, isPooled } = address;
  const readsStandby = address.prefersStandby && options.readsOnly === true;
  const connectTimeoutMs = options.connectTimeoutMs ?? 5000;
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  const limits = {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
  };
  return {
    connectTimeoutMs,
    begin: (mode) => (isPooled ? `begin ${mode}; ${setLocally(limits)}` : `begin ${mode}`),
    connect: ({ max, onclose, onFailure, onSilence, onStandby }) => {
      const sockets = new Set<Socket>();
      const onOpen = (socket: Socket): void => {
        for (const other of sockets) if (other.destroyed) sockets.delete(other);
        sockets.add(socket);
      };
      const sql = postgres(uri, {
        max,
        onclose,
        // Documented by the driver, but missing in its types.
        ...databaseSocket(address, { timeoutMs: connectTimeoutMs, onFailure, onOpen, readsStandby }),
        connect_timeout: connectTimeoutMs / 1000,
        // Idle connections are never closed, so every close is a loss. There are few connections, so none needs to be released.
        idle_timeout: 0,
        max_lifetime: null,
        backoff: false,
        onnotice: (notice) => {
          options.logger.debug({ notice: notice['message'] }, 'PostgreSQL notice');
        },
        // The driver would query array types without handling a failure: a connection lost during that query would end
        // the process with an unhandled rejection.
        fetch_types: false,
        // Servers report this at the start of a session. PgBouncer does not pass it on.
        onparameter: (name: string, value: unknown) => {
          if (name === 'in_hot_standby' && value === 'on' && !readsStandby) onStandby?.();
        },
        types: { bigint, texts },
        // Named statements belong to a session, which a pooler in transaction mode does not keep.
        prepare: !isPooled,
        // A pooler refuses startup parameters that it does not track.
        connection: { application_name: 'plumbline', ...(isPooled ? {} : limits) },
      });
      const endPolitely = sql.end.bind(sql);
      const end: typeof sql.end = async (options) => {
        await endPolitely(options);
        // The driver closes connections with a message, which a silent server does not confirm.
        for (const socket of sockets) socket.destroy();
      };
      return withDeadline(Object.assign(sql, { end }), {
        limitMs: statementTimeoutMs === 0 ? Infinity : statementTimeoutMs + ANSWER_MS,
        exceeded: onSilence,
        failed,
      });
    },
  };
}

/** Sets parameters for the transaction in the message that begins it, so that it costs no round trip. */
function setLocally(parameters: Readonly<Record<string, number>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `set local ${name} = ${value}`)
    .join('; ');
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
