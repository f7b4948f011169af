import { randomInt } from 'node:crypto';
import type { ProblemReply, Route, Validator } from './contract-types.js';

/** A reply as a handler returns it; the generated union of the operation is the exact type. */
export interface AnyReply {
  readonly status: number;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly cause?: unknown;
}

/**
 * Which replies are validated against the contract. `always`: all; an invalid one becomes a 500. `sampled`: one in a
 * hundred; an invalid one is logged, counted and sent, because the serializer has removed undocumented properties.
 */
export type ReplyValidation = 'always' | 'sampled' | 'off';

const sampleSize = 100;

const streams: ReadonlySet<string | null> = new Set(['application/x-ndjson', 'text/event-stream']);

/** A handler returned a reply that the contract does not document. */
export class UndocumentedReply extends Error {
  override name = 'UndocumentedReply';
}

/** Decides whether `sampled` validates this reply. */
export function isSampled(): boolean {
  return randomInt(sampleSize) === 0;
}

/**
 * Rejects an undocumented status, problem type or header, which must never be sent.
 *
 * @throws UndocumentedReply with the violation, without the values
 */
export function checkReply(route: Route, reply: AnyReply): void {
  const table = route.replies[reply.status];
  const fail = (what: string): never => {
    throw new UndocumentedReply(`${route.operationId} replied ${reply.status}: ${what}`);
  };
  if (table === undefined) return fail('the contract does not document this status');
  if (table.kind === 'problem') {
    if (!isProblem(reply)) return fail('an error must be a problem');
    const slug = reply.body.type.replace('/problems/', '');
    if (table.problems[slug] === undefined) return fail(`the problem ${slug} is not documented for this status`);
    if ('headers' in reply) return fail('the headers of a problem follow from its type');
    return;
  }
  if (isProblem(reply)) return fail('the contract documents no problem for this status');
  for (const name of Object.keys(reply.headers ?? {})) {
    if (table.headers[name] === undefined) fail(`the header ${name} is not documented`);
  }
}

/**
 * Rejects a reply of a request with an idempotency key that must not be stored, because each repetition would receive it:
 * one that {@link checkReply} rejects, or that lacks a required header.
 *
 * @throws UndocumentedReply with the violation, without the values
 */
export function checkStoredReply(route: Route, reply: AnyReply): void {
  checkReply(route, reply);
  checkHeaders(route, reply);
}

/** @throws UndocumentedReply if a required header is missing */
function checkHeaders(route: Route, reply: AnyReply): void {
  const table = route.replies[reply.status];
  if (table?.kind !== 'success') return;
  for (const [name, presence] of Object.entries(table.headers)) {
    if (presence === 'required' && reply.headers?.[name] === undefined)
      throw new UndocumentedReply(`${route.operationId} replied ${reply.status}: the header ${name} is missing`);
  }
}

/**
 * Validates the body and the required headers of a reply that {@link checkReply} accepts. The items of a stream are
 * validated as they are written.
 *
 * @throws UndocumentedReply with the violation, without the values
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
  checkHeaders(route, reply);
  if (table.validate !== null && !streams.has(table.mediaType)) {
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
  fail(`the body violates the contract: ${faults.join('; ')}`);
}
