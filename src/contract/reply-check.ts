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

/**
 * Which replies are validated against the contract. `always`: each one, and a wrong one becomes a 500. `sampled`: one in
 * a hundred, and a wrong one is logged, counted and sent, because the serializer has left out what is not documented.
 */
export type ReplyValidation = 'always' | 'sampled' | 'off';

const sampleSize = 100;

/** A handler gave a reply that the contract does not have. */
export class UndocumentedReply extends Error {
  override name = 'UndocumentedReply';
}

/** Tells whether `sampled` validates this reply. */
export function isSampled(): boolean {
  return randomInt(sampleSize) === 0;
}

/**
 * Refuses what must never be sent: a status, a type of problem or a header that the contract does not have.
 *
 * @throws UndocumentedReply saying what is wrong, without the values
 */
export function checkReply(route: Route, reply: AnyReply): void {
  const table = route.replies[reply.status];
  const fail = (what: string): never => {
    throw new UndocumentedReply(`${route.operationId} replied ${reply.status}: ${what}`);
  };
  if (table === undefined) return fail('the contract has no such status');
  if (table.kind === 'problem') {
    if (!isProblem(reply)) return fail('an error must be a problem');
    const slug = reply.body.type.replace('/problems/', '');
    if (table.problems[slug] === undefined) return fail(`the problem ${slug} is not documented for this status`);
    return;
  }
  if (isProblem(reply)) return fail('the contract has no problem here');
  for (const name of Object.keys(reply.headers ?? {})) {
    if (table.headers[name] === undefined) fail(`the header ${name} is not documented`);
  }
}

/**
 * Validates the body of a reply that {@link checkReply} accepts, and looks for the headers that it must have. The lines
 * of a stream are validated as they come.
 *
 * @throws UndocumentedReply saying what is wrong, without the values
 */
export function validateReply(route: Route, reply: AnyReply, requestId: string): void {
  const table = route.replies[reply.status];
  const fail = (what: string): never => {
    throw new UndocumentedReply(`${route.operationId} replied ${reply.status}: ${what}`);
  };
  if (table?.kind === 'problem' && isProblem(reply)) {
    const validate = table.problems[reply.body.type.replace('/problems/', '')];
    if (validate !== undefined) checkBody(validate, { ...reply.body, request_id: requestId }, fail);
  }
  if (table?.kind !== 'success') return;
  for (const [name, presence] of Object.entries(table.headers)) {
    if (presence === 'required' && reply.headers?.[name] === undefined) fail(`the header ${name} is missing`);
  }
  if (table.validate !== null && table.mediaType !== 'application/x-ndjson') {
    checkBody(table.validate, reply.body, fail);
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
