import { UnexpectedReplyError } from './errors.js';
import { nameOf, type Operation, type StreamContext } from './operation.js';
import type { AnyResult, ProblemDocument } from './result.js';

/**
 * Converts a reply to a result.
 *
 * @param url the request's
 * @param content the body, as parsed by openapi-fetch
 * @param resume sends the request of a stream of events again
 * @throws UnexpectedReplyError when the contract does not document such a reply
 */
export function resultOf(
  operation: Operation,
  url: string,
  response: Response,
  content: unknown,
  signal: AbortSignal | undefined,
  resume: StreamContext['resume'],
): AnyResult {
  const { status, headers } = response;
  const { format } = operation;
  const reply = { status, headers, requestId: headers.get('x-request-id'), response };
  const mediaType = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const unexpected = (): UnexpectedReplyError => new UnexpectedReplyError(nameOf(operation), response);
  if (!operation.statuses.includes(status)) {
    // What reads an error of another standard knows it by its members.
    const { problemOf } = operation;
    const problem = problemOf === undefined ? content : problemOf(content, reply.requestId ?? '');
    const isOfProblem = problemOf !== undefined || mediaType === 'application/problem+json';
    if (response.ok || !isOfProblem || !isProblem(problem)) throw unexpected();
    return { ...reply, ok: false, problem };
  }
  if (status === 204 || format === undefined) return { ...reply, ok: true, data: undefined };
  const data =
    format.decode !== undefined && response.body !== null
      ? format.decode(response.body, { operation: nameOf(operation), url, response, signal, resume })
      : content;
  if (mediaType !== format.mediaType || data === undefined || data === null) throw unexpected();
  return { ...reply, ok: true, data };
}

/** Whether a body is a problem. The contract defines the other members for each `type`. */
export function isProblem(body: unknown): body is ProblemDocument {
  if (typeof body !== 'object' || body === null) return false;
  const members: Partial<Record<keyof ProblemDocument, unknown>> = body;
  return (
    typeof members.status === 'number' &&
    (['type', 'title', 'message', 'request_id'] as const).every((name) => typeof members[name] === 'string')
  );
}
