/** The errors of a sync: a closed set of codes, each with a message for users. */

export type SyncFailureCode =
  /** The credential was refused (401, or 403 on a request that needs no credential). */
  | 'unauthorized'
  /** The host reports that it does not exist. A token without the required scope gets the same reply. */
  | 'not_found'
  /** The host kept limiting the rate until the attempts were used up. */
  | 'rate_limited'
  /** The host could not be reached, or kept returning server errors. */
  | 'host_unavailable'
  /** The host sent a reply that violates its API. */
  | 'unexpected_reply'
  /** The path is not a git repository, or git failed to read it. */
  | 'repository_unreadable'
  /** The primary database refused or could not be reached. */
  | 'database_failed'
  /** The lock on the repository was lost, so that another sync may be working on it. The next run resumes. */
  | 'lock_lost'
  /** Everything is in the primary database. The secondary is behind; the next run will repair it. */
  | 'secondary_failed'
  /** An optional connector package is not installed. */
  | 'connectors_missing'
  /** The run was aborted. */
  | 'aborted'
  | 'internal';

export interface SyncFailure {
  readonly code: SyncFailureCode;
  readonly message: string;
}

/** An error with one of the documented codes. Its message is written for users and contains no secret. */
export class SyncError extends Error {
  readonly code: SyncFailureCode;
  /** The HTTP status with which a host refused, if it did. */
  readonly status: number | undefined;

  constructor(code: SyncFailureCode, message: string, options?: ErrorOptions & { readonly status?: number }) {
    super(message, options);
    this.name = 'SyncError';
    this.code = code;
    this.status = options?.status;
  }
}

/** Whether the host did not answer a request, although it was tried again. A smaller request may be answered. */
export function isUnanswered(error: unknown): error is SyncError {
  return error instanceof SyncError && error.code === 'host_unavailable';
}

const WITHHELD: ReadonlySet<number | undefined> = new Set([403, 404, 410, 451]);

/**
 * Whether a host refuses a part of a repository that it otherwise shows: it is disabled or blocked there. Clients give a
 * refusal of the token no status.
 */
export function isWithheld(error: unknown): error is SyncError {
  return error instanceof SyncError && WITHHELD.has(error.status);
}

/**
 * Describes an error in a summary.
 * @param error anything thrown
 * @param secrets texts (tokens, connection strings) that must not appear in the message
 */
export function failureOf(error: unknown, secrets: readonly string[]): SyncFailure {
  const code = error instanceof SyncError ? error.code : isAbort(error) ? 'aborted' : 'internal';
  const text = error instanceof Error ? error.message : String(error);
  return { code, message: withoutSecrets(code === 'aborted' ? 'The sync was stopped.' : text, secrets) };
}

/** Replacing shorter texts everywhere would make a message unreadable, and they are not secrets. */
const SHORTEST_SECRET = 4;

/** Replaces every secret of at least four characters, and the credentials of every URL. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // The longest first, because one secret may contain another; replacing the shorter one first would leave the rest.
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  let clean = text;
  for (const secret of longestFirst) if (secret.length >= SHORTEST_SECRET) clean = clean.replaceAll(secret, '***');
  return clean.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1***@');
}

/** Whether the error is an abort signal's. */
function isAbort(error: unknown): boolean {
  return (
    error instanceof Error && (error.name === 'AbortError' || (error instanceof SyncError && error.code === 'aborted'))
  );
}
