import type { AnalyticsErrorDetails } from './generated/analytics/errors.js';

/** What a query gave: its data, or why there is none. Narrows on `ok`. */
export type AnalyticsReply<Data> = AnalyticsSuccess<Data> | AnalyticsFailure;

export interface AnalyticsSuccess<Data> {
  readonly ok: true;
  readonly data: Data;
  readonly error?: never;
  /** `X-Request-Id` of the reply: what to quote when something needs looking into. */
  readonly requestId: string | null;
}

export interface AnalyticsFailure {
  readonly ok: false;
  readonly data?: never;
  /** The first error; there is seldom another. */
  readonly error: AnalyticsError;
  readonly errors: readonly AnalyticsError[];
  /** The HTTP status of the reply. */
  readonly status: number;
  readonly requestId: string | null;
}

/** One error; narrow it on `code`. */
export type AnalyticsError = AnalyticsErrorDetails & {
  /** What happened, for people to read. */
  readonly message: string;
};

/** The server answered with errors. Thrown by `unwrapAnalytics`; a plain query returns them as a value. */
export class AnalyticsQueryError extends Error {
  override readonly name = 'AnalyticsQueryError';
  readonly error: AnalyticsError;
  readonly errors: readonly AnalyticsError[];
  readonly status: number;
  readonly requestId: string | null;

  constructor({ error, errors, status, requestId }: AnalyticsFailure) {
    super(`${error.code}: ${error.message}${requestId === null ? '' : ` (request ${requestId})`}`);
    this.error = error;
    this.errors = errors;
    this.status = status;
    this.requestId = requestId;
  }
}

/**
 * Gives the data of a query, for code that would rather catch than branch.
 *
 * @throws AnalyticsQueryError when the server answered with errors
 */
export function unwrapAnalytics<Data>(reply: AnalyticsReply<Data>): Data {
  if (reply.ok) return reply.data;
  throw new AnalyticsQueryError(reply);
}

/** Makes a reply of what the server sent as `{data, errors}`; null when it is no such thing. */
export function analyticsReplyOf<Data>(
  body: unknown,
  status: number,
  requestId: string | null,
): AnalyticsReply<Data> | null {
  if (typeof body !== 'object' || body === null) return null;
  const given: unknown = Reflect.get(body, 'errors');
  const errors = Array.isArray(given) ? given.map(errorOf) : [];
  if (errors.includes(null)) return null;
  const [error, ...others] = errors.filter((each) => each !== null);
  if (error !== undefined) return { ok: false, error, errors: [error, ...others], status, requestId };
  const data: unknown = Reflect.get(body, 'data');
  if (typeof data !== 'object' || data === null) return null;
  // Its type is that of the document: what the schema promises, and the contract tests prove of the server.
  return { ok: true, data: data as Data, requestId };
}

function errorOf(value: unknown): AnalyticsError | null {
  if (typeof value !== 'object' || value === null) return null;
  const message: unknown = Reflect.get(value, 'message');
  const extensions: unknown = Reflect.get(value, 'extensions');
  if (typeof message !== 'string' || typeof extensions !== 'object' || extensions === null) return null;
  if (typeof Reflect.get(extensions, 'code') !== 'string') return null;
  return { ...extensions, message } as AnalyticsError; // which members a code has is what the contract says
}
