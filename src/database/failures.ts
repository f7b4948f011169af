import postgres from 'postgres';

/**
 * SQLSTATEs with which a server says that it is not available: shutting down, crashed, starting up, out of
 * connections (https://www.postgresql.org/docs/current/errcodes-appendix.html). Class 08 is added below.
 */
const UNAVAILABLE_STATES = new Set(['57P01', '57P02', '57P03', '53300']);

/** Codes that the `postgres` driver and this layer give to a connection that was lost or never came about. */
const CONNECTION_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'POOL_TIMEOUT',
]);

/** Codes of the sockets below, which other sockets and files have too: they count on a database statement only. */
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

/** The database cannot be reached at present. Thrown by this layer itself where the driver has no error for it. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly code: 'CONNECTION_CLOSED' | 'CONNECTION_ENDED' | 'CONNECT_TIMEOUT' | 'POOL_TIMEOUT';

  constructor(code: DatabaseUnavailableError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Whether the error means "the database is unavailable": answered with 503, worth trying again later. What the
 * statement did is then unknown only if it was a COMMIT in flight; anything before that was rolled back.
 */
export function isConnectionFailure(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return false;
  if (error instanceof postgres.PostgresError) return UNAVAILABLE_STATES.has(code) || code.startsWith('08');
  // The driver gives the error of a socket the text of the statement that it failed, as its `query`.
  return CONNECTION_CODES.has(code) || (SOCKET_CODES.has(code) && error instanceof Error && 'query' in error);
}

/** For operators: what to do about {@link isReadOnly}. */
export const readOnlyServer =
  'The database takes no writes: it is a standby, or read-only by a setting. Set DATABASE_URI to the primary server.';

/**
 * Whether the error means that the server takes no writes (25006): a standby behind a balancer, or a primary that was
 * demoted. The database is unavailable to the statement then; another connection may lead to the primary.
 */
export function isReadOnly(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '25006';
}

/** Whether the error means that the statement was cancelled, which is how its time limit ends it (57014). */
export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === '57014';
}

/**
 * Whether a unique or exclusion constraint refused a row: how this code base learns that somebody else was first.
 *
 * @param constraint Name of the constraint or unique index to look for; any when left out.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof postgres.PostgresError)) return false;
  if (error.code !== '23505' && error.code !== '23P01') return false;
  return constraint === undefined || error.constraint_name === constraint;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
