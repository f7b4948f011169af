import { UnexpectedReplyError } from './errors.js';
import { nameOf, type Operation } from './operation.js';
import type { AnyResult, ProblemDocument } from './result.js';

/**
 * Converts a reply to a result.
 *
 * @param url the request's
 * @param content the body, as parsed by openapi-fetch
 * @throws UnexpectedReplyError when the contract does not document such a reply
 */
export function resultOf(
  operation: Operation,
  url: string,
  response: Response,
  content: unknown,
  signal: AbortSignal | undefined,
): AnyResult {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id');
  const mediaType = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (!response.ok && !operation.statuses.includes(status)) {
    if (mediaType !== 'application/problem+json' || !isProblem(content)) throw unexpected(operation, response);
    return { ok: false, status, problem: content, headers, requestId };
  }
  if (!operation.statuses.includes(status)) throw unexpected(operation, response);
  const { format } = operation;
  if (status === 204 || format === undefined) return { ok: true, status, data: undefined, headers, requestId };
  if (mediaType !== format.mediaType) throw unexpected(operation, response);
  const data =
    format.decode !== undefined && response.body !== null
      ? format.decode(response.body, { operation: nameOf(operation), url, response, signal })
      : content;
  if (data === undefined || data === null) throw unexpected(operation, response);
  return { ok: true, status, data, headers, requestId };
}

/** Whether a body is a problem. The contract defines the other members for each `type`. */
export function isProblem(body: unknown): body is ProblemDocument {
  if (typeof body !== 'object' || body === null) return false;
  const members: Partial<Record<keyof ProblemDocument, unknown>> = body;
  return (
    typeof members.type === 'string' &&
    typeof members.title === 'string' &&
    typeof members.status === 'number' &&
    typeof members.message === 'string' &&
    typeof members.request_id === 'string'
  );
}

function unexpected(operation: Operation, response: Response): UnexpectedReplyError {
  return new UnexpectedReplyError(nameOf(operation), response);
}
