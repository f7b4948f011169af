/** The replies that the pipeline can give to an operation, whatever its contract says. */
import type { OpenApiDocument } from '../read/openapi-document.js';

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
  const schemes = Object.values(document.components?.securitySchemes ?? {});
  const holding = new Set([
    'always',
    // The server looks up bearer tokens in a database, and answers 503 while it is down.
    ...(schemes.some(({ type, scheme }) => type === 'http' && scheme === 'bearer') ? ['stored'] : []),
    ...(isLimited(document, conditions) ? ['limited'] : []),
    ...(conditions.some((each) => each.startsWith('scoped ')) ? ['scoped'] : []),
    ...conditions,
  ]);
  return [...holding].flatMap((condition) => replies[condition] ?? []);
}

/**
 * Says why an operation cannot exclude a derived status by `x-never`: a step before its own code gives the status.
 *
 * @param conditions what is true of the operation: the words of `when`
 * @param answersItself whether the operation's own reply with the status replaces the derived one
 * @returns null: the status depends on the operation's own code alone
 */
export function stepThatGives(
  document: OpenApiDocument,
  conditions: readonly string[],
  status: string,
  answersItself: boolean,
): string | null {
  const used = Object.entries(document.components?.securitySchemes ?? {}).filter(([name]) =>
    conditions.includes(`scheme ${name}`),
  );
  // Every other status is the refusal of a step. Where no token is authenticated, the API admits callers, and may
  // leave one kind of credential to an operation.
  const isChosenByApi = status === '401' && used.every(([, { type }]) => type === 'mutualTLS');
  if (isChosenByApi && answersItself) return null;
  if (status !== '500' && status !== '503') return 'the pipeline refuses requests with it';
  const looksUp = used.some(([, scheme]) => scheme.type === 'http' && scheme['x-verified-in'] !== 'memory');
  if (looksUp) return 'the look-up of the credential can fail';
  if (isLimited(document, conditions)) return 'the count of the rate limit can fail';
  return conditions.includes('idempotent') ? 'the look-up of the idempotency key can fail' : null;
}

/** Whether the operation or one of its security schemes has a rate limit. */
function isLimited(document: OpenApiDocument, conditions: readonly string[]): boolean {
  const schemes = Object.entries(document.components?.securitySchemes ?? {});
  const limitsCallers = schemes.some(
    ([name, scheme]) => scheme['x-rate-limit'] !== undefined && conditions.includes(`scheme ${name}`),
  );
  return limitsCallers || conditions.includes('limited');
}
