import type { IncomingMessage } from 'node:http';

/** Accepted request ids of callers: short, and safe in a log line and a header. */
const acceptable = /^[\w.:-]{1,128}$/;

/** The caller's `X-Request-Id`, or a new id if the header is missing or its value is not safe to log. */
export function requestIdOf(request: IncomingMessage, mint: () => string): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && acceptable.test(sent) ? sent : mint();
}
