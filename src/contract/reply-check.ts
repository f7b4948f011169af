import { randomInt } from 'node:crypto';
import type { ProblemReply, Route, Validator } from '../../generated/contract.js';

/** A reply as it comes from a handler; the generated union of the operation types it exactly. */
export interface AnyReply {
  readonly status: number;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly cause?: unknown;
}

/** When replies are validated against the contract: each one, one in a hundred, or never. */
export type ReplyValidation = 'always' | 'sampled' | 'off';

const sampleSize = 100;

/** A handler gave a reply that the contract does not have. */
export class UndocumentedReply extends Error {
  override name = 'UndocumentedReply';
}

/** Tells whether this reply is one to validate. */
export function isChecked(mode: ReplyValidation): boolean {
  return mode === 'always' || (mode === 'sampled' && randomInt(sampleSize) === 0);
}

/**
 * Checks a reply against the contract: its status and problem type in any case, its body and headers where `checked`.
 *
 * @throws UndocumentedReply saying what is wrong, without the values
 */
export function checkReply(route: Route, reply: AnyReply, requestId: string, checked: boolean): void {
  const table = route.replies[reply.status];
  const fail = (what: string): never => {
    throw new UndocumentedReply(`${route.operationId} replied ${reply.status}: ${what}`);
  };
  if (table === undefined) return fail('the contract has no such status');
  if (table.kind === 'problem') {
    if (!isProblem(reply)) return fail('an error must be a problem');
    const slug = reply.body.type.replace('/problems/', '');
    const validate = table.problems[slug];
    if (validate === undefined) return fail(`the problem ${slug} is not documented for this status`);
    if (checked) checkBody(validate, { ...reply.body, request_id: requestId }, fail);
    return;
  }
  if (isProblem(reply)) return fail('the contract has no problem here');
  if (checked && table.validate !== null && table.mediaType !== 'application/x-ndjson') {
    checkBody(table.validate, reply.body, fail);
  }
  if (reply.headers === undefined) return;
  for (const name of Object.keys(reply.headers)) {
    if (!table.headers.includes(name)) fail(`the header ${name} is not documented`);
  }
}

/** Whether a reply is a problem. */
export function isProblem(reply: AnyReply): reply is ProblemReply<{ status: number; type: string }> {
  return reply.contentType === 'application/problem+json';
}

function checkBody(validate: Validator, body: unknown, fail: (what: string) => never): void {
  if (validate(body)) return;
  const faults = (validate.errors ?? []).map((fault) => `${fault.instancePath} ${fault.message ?? fault.keyword}`);
  fail(`the body is not what the contract says: ${faults.join('; ')}`);
}
