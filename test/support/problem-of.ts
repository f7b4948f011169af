import type { JsonReply } from './platform.js';

/** The problems of the pipeline that a SCIM error stands for: it has no type, and each status has one. */
const problemsByStatus: Readonly<Record<number, string>> = {
  400: 'malformed-request',
  401: 'unauthenticated',
  403: 'insufficient-scope',
  406: 'not-acceptable',
  413: 'payload-too-large',
  415: 'unsupported-media-type',
  422: 'validation-failed',
  429: 'rate-limited',
  500: 'internal-error',
  501: 'not-implemented',
  503: 'service-unavailable',
};

/** The problem that a refusal of the pipeline is, also where the operation has the errors of SCIM. */
export function problemOf({ status, body, headers }: JsonReply): JsonReply['body'] {
  if (headers.get('Content-Type') !== 'application/scim+json') return body;
  const [, scope] = /scope (\S+),/.exec(body.detail) ?? [];
  return {
    type: `/problems/${problemsByStatus[status] ?? 'unknown'}`,
    status: Number(body.status),
    message: body.detail,
    ...(scope !== undefined && { required_scope: scope }),
    ...(headers.has('Retry-After') && { retry_after_seconds: Number(headers.get('Retry-After')) }),
  };
}
