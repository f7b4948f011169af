import type { IncomingMessage } from 'node:http';

/** What a caller's own request id may look like: short, and safe in a log line and a header. */
const acceptable = /^[\w.:-]{1,128}$/;

/** The caller's `X-Request-Id`, or a new id where there is none or it is not fit for a log. */
export function requestIdOf(request: IncomingMessage, mint: () => string): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && acceptable.test(given) ? given : mint();
}
