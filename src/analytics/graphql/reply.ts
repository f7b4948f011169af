import type { Context } from 'koa';
import type { ErrorCode } from '../../../generated/graphql/errors.js';
import type { Payload } from './payload.js';
import { Refusal } from './refusal.js';

export const responseType = 'application/graphql-response+json';
export const jsonType = 'application/json';
/** GraphQL over Server-Sent Events, "distinct connections mode": one event with the result, then one that ends the stream. */
export const eventStreamType = 'text/event-stream';
export type ReplyType = typeof responseType | typeof jsonType | typeof eventStreamType;

/**
 * The media type that the caller prefers. Callers that accept anything get `application/json`, for old clients.
 *
 * @returns null if the caller accepts neither
 */
export function acceptedType(ctx: Context): ReplyType | null {
  const type = ctx.accepts(jsonType, responseType, eventStreamType);
  return type === jsonType || type === responseType || type === eventStreamType ? type : null;
}

/**
 * The status of a query's result: `AUTHORIZATION_ERROR` is 403. A query that did not start is 400, except as
 * `application/json`, where 400 is only for bodies that are not GraphQL requests. All others are 200.
 */
export function statusOf(payload: Payload, type: ReplyType): number {
  const codes = codesOf(payload);
  if (codes.includes('AUTHORIZATION_ERROR')) return 403;
  const neverBegan = !('data' in payload) && codes.includes('VALIDATION_ERROR');
  return neverBegan && type === responseType ? 400 : 200;
}

const statusOfCode: Readonly<Record<ErrorCode, number>> = {
  COST_LIMIT_EXCEEDED: 200,
  VALIDATION_ERROR: 400,
  AUTHORIZATION_ERROR: 403,
  PERSISTED_QUERY_ERROR: 200,
  QUERY_TIMEOUT: 200,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_ERROR: 500,
};

/** The status of a request that failed before its query. */
export function statusOfRefusal(error: unknown, payload: Payload): number {
  const [code = 'INTERNAL_ERROR'] = codesOf(payload);
  return (error instanceof Refusal ? error.status : null) ?? statusOfCode[code];
}

/** Writes the reply. */
export function writePayload(ctx: Context, payload: Payload, status: number, type: ReplyType): void {
  const seconds = payload.errors
    ?.map(({ extensions }) => ('retry_after_seconds' in extensions ? extensions.retry_after_seconds : 0))
    .find((each) => each > 0);
  if (seconds !== undefined) ctx.set('Retry-After', String(seconds));
  if (status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  ctx.status = status;
  if (type === eventStreamType && status === 200) {
    ctx.set({ 'Content-Type': type, 'Cache-Control': 'no-store' });
    ctx.body = `event: next\ndata: ${JSON.stringify(payload)}\n\nevent: complete\ndata:\n\n`;
    return;
  }
  ctx.set('Content-Type', `${type === eventStreamType ? responseType : type}; charset=utf-8`);
  ctx.body = JSON.stringify(payload);
}

/** The codes of the errors of a payload. */
export function codesOf({ errors = [] }: Payload): ErrorCode[] {
  return errors.map(({ extensions }) => extensions.code);
}
