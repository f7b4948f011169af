import type { AnalyticsErrorDetails } from './generated/analytics/errors.js';

/** The result of a query: its data, or its errors. Narrows on `ok`. */
export type AnalyticsReply<Data> = AnalyticsSuccess<Data> | AnalyticsFailure;

export interface AnalyticsSuccess<Data> {
  readonly ok: true;
  readonly data: Data;
  readonly error?: never;
  /** `X-Request-Id` of the reply. Quote it when you report a failure. */
  readonly requestId: string | null;
}

export interface AnalyticsFailure {
  readonly ok: false;
  readonly data?: never;
  /** The first error; usually the only one. */
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

/** The server returned errors. Thrown by `unwrapAnalytics`; queries return them as a value. */
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
 * Returns the data of a query, for code that prefers exceptions.
 *
 * @throws AnalyticsQueryError when the server returned errors
 */
export function unwrapAnalytics<Data>(reply: AnalyticsReply<Data>): Data {
  if (reply.ok) return reply.data;
  throw new AnalyticsQueryError(reply);
}

/** Parses a reply of the form `{data, errors}`; null if it is something else. */
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
  // The type is that of the document: the schema guarantees it, and the contract tests verify the server.
  return { ok: true, data: data as Data, requestId };
}

function errorOf(value: unknown): AnalyticsError | null {
  if (typeof value !== 'object' || value === null) return null;
  const message: unknown = Reflect.get(value, 'message');
  const extensions: unknown = Reflect.get(value, 'extensions');
  if (typeof message !== 'string' || typeof extensions !== 'object' || extensions === null) return null;
  if (typeof Reflect.get(extensions, 'code') !== 'string') return null;
  return { ...extensions, message } as AnalyticsError; // the contract defines the members of each code
}
