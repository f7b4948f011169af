import postgres from 'postgres';
import { errorCode } from '@plumbline/contract/system/error-code';

/**
 * SQLSTATEs of a server that is unavailable: it is shutting down, has crashed, is starting up, or has dropped the
 * database or the session (https://www.postgresql.org/docs/current/errcodes-appendix.html). Class 08 is added below.
 */
const UNAVAILABLE_STATES = new Set(['57P01', '57P02', '57P03', '57P04', '57P05']);

/** The name of a shortage in PostgreSQL's documentation, and its statement in a sentence. */
export interface Shortage {
  readonly name: string;
  readonly sentence: string;
}

/** SQLSTATEs of a server that lacks a resource, which an operator must supply: class 53, and a failing disk. */
const SHORTAGES: Readonly<Record<string, Shortage>> = {
  '53000': { name: 'insufficient_resources', sentence: 'The database lacks a resource.' },
  '53100': { name: 'disk_full', sentence: 'The database has no disk space left.' },
  '53200': { name: 'out_of_memory', sentence: 'The database has no memory left.' },
  '53300': { name: 'too_many_connections', sentence: 'The database accepts no more connections.' },
  '53400': { name: 'configuration_limit_exceeded', sentence: 'The database has reached a limit of its configuration.' },
  '58030': { name: 'io_error', sentence: 'The database cannot read or write its files.' },
};

/** Codes of the `postgres` driver and of this layer for a connection that was lost or could not be opened. */
const CONNECTION_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'POOL_TIMEOUT',
]);

/** Codes of the sockets below. Other sockets and files use them, too, so they count only for database statements. */
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ENOENT',
  'EMFILE',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_DESTROYED',
]);

/** The database is unavailable. Thrown if the driver has no error for the case. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly code: 'CONNECTION_CLOSED' | 'CONNECTION_ENDED' | 'CONNECT_TIMEOUT' | 'POOL_TIMEOUT';

  constructor(code: DatabaseUnavailableError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Whether the error means that the database is unavailable: 503, and a retry may succeed. The outcome of the statement
 * is unknown only if it was a COMMIT in flight; everything before that was rolled back.
 */
export function isConnectionFailure(error: unknown): boolean {
  const code = errorCode(error);
  if (code === undefined) return false;
  if (error instanceof postgres.PostgresError) {
    return UNAVAILABLE_STATES.has(code) || code.startsWith('08') || shortageOf(error) !== null;
  }
  // The driver adds the text of the failed statement to a socket's error, as `query`.
  return CONNECTION_CODES.has(code) || (SOCKET_CODES.has(code) && error instanceof Error && 'query' in error);
}

/** The resource that the database server lacks; null: the error has another reason. */
export function shortageOf(error: unknown): Shortage | null {
  return error instanceof postgres.PostgresError ? (SHORTAGES[error.code] ?? null) : null;
}

/**
 * Whether the transaction was rolled back because of a concurrent one: a serialization failure (40001) or a deadlock
 * (40P01). Another attempt may succeed. A standby also uses 40001 to cancel a query that needs row versions which the
 * primary has removed.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof postgres.PostgresError && (error.code === '40001' || error.code === '40P01');
}

/** Whether another attempt may succeed soon, because the cause is the state of the database and not the statement. */
export function isTransient(error: unknown): boolean {
  return isConnectionFailure(error) || isReadOnly(error) || isConflict(error);
}

/** The remedy for {@link isReadOnly}, for operators. */
export const readOnlyServer =
  'The database is read-only: it is a standby, or a setting makes it read-only. Set DATABASE_URI to the primary server.';

/**
 * Whether the error means that the server is read-only (25006): a standby behind a load balancer, or a demoted primary.
 * Then the database is unavailable to this statement; another connection may reach the primary.
 */
export function isReadOnly(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '25006';
}

/** Whether the error means that the statement was cancelled, for example by its timeout (57014). */
export function isStatementTimeout(error: unknown): boolean {
  return errorCode(error) === '57014';
}

/**
 * Whether a unique or exclusion constraint rejected a row, because another transaction was first.
 *
 * @param constraint name of the constraint or unique index; default: any.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof postgres.PostgresError)) return false;
  if (error.code !== '23505' && error.code !== '23P01') return false;
  return constraint === undefined || error.constraint_name === constraint;
}
