/** The replies that the pipeline can give to an operation, whatever its contract says. */
import type { OpenApiDocument } from './openapi-document.js';

/** One reply of a step of the pipeline (`src/contract/pipeline.ts`). */
export interface PipelineReply {
  readonly status: string;
  /** The schema of its problem; null: the security handlers of the API choose it. */
  readonly problem: string | null;
}

/** By the condition of an operation: what the steps answer then. */
const replies: Readonly<Record<string, readonly PipelineReply[]>> = {
  always: [{ status: '500', problem: 'InternalErrorProblem' }],
  stored: [{ status: '503', problem: 'ServiceUnavailableProblem' }],
  secured: [{ status: '401', problem: null }],
  scoped: [{ status: '403', problem: null }],
  reply: [{ status: '406', problem: 'NotAcceptableProblem' }],
  body: [
    { status: '400', problem: 'MalformedRequestProblem' },
    { status: '413', problem: 'PayloadTooLargeProblem' },
    { status: '415', problem: 'UnsupportedMediaTypeProblem' },
  ],
  input: [{ status: '422', problem: 'ValidationFailedProblem' }],
  limited: [{ status: '429', problem: 'RateLimitedProblem' }],
  idempotent: [{ status: '409', problem: 'IdempotencyKeyInUseProblem' }],
  'idempotent input': [{ status: '422', problem: 'IdempotencyKeyReusedProblem' }],
};

/**
 * Lists what the pipeline can answer to an operation.
 *
 * @param conditions what is true of the operation: the words of `when`
 */
export function pipelineReplies(document: OpenApiDocument, conditions: readonly string[]): PipelineReply[] {
  const schemes = document.components?.securitySchemes ?? {};
  const limitsCallers = Object.entries(schemes).some(
    ([name, scheme]) => scheme['x-rate-limit'] !== undefined && conditions.includes(`scheme ${name}`),
  );
  const holding = new Set([
    'always',
    // The server looks up bearer tokens in a database, and answers 503 while it is down.
    ...(Object.values(schemes).some(({ type, scheme }) => type === 'http' && scheme === 'bearer') ? ['stored'] : []),
    ...(limitsCallers ? ['limited'] : []),
    ...(conditions.some((each) => each.startsWith('scoped ')) ? ['scoped'] : []),
    ...conditions,
  ]);
  // Without a body, no other request can have the key, unless the path has such a parameter.
  if (holding.has('idempotent') && holding.has('body')) holding.add('idempotent input');
  return [...holding].flatMap((condition) => replies[condition] ?? []);
}
