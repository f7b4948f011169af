import { validateHeaderValue } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Form, ProblemReply, ReplyTable, ServerSentEvent } from './contract-types.js';
import type { Endpoint, Exchange } from './exchange.js';
import { isProblem, UndocumentedReply, type AnyReply } from './reply-check.js';
import { scimErrorOf, scimMediaType } from './scim-error.js';
import { streamOf } from './reply-stream.js';

type SuccessTable = Extract<ReplyTable, { kind: 'success' }>;

/** Runs a validation that throws when a reply violates the contract. */
export type Inspect = (validate: () => void) => void;

const heartbeatMs = 15_000;

/**
 * Puts a reply on Koa's context, which sends it. It is serialized here, before its status line is written, so that a
 * failure can still become a clean 500; after that only a stream can fail on the server's side.
 *
 * @param table the contract's entry for the status; undefined for problems of requests that match no operation
 * @param inspect runs the validation of each item of a stream as it is written; null: items are not validated
 */
export function putReply(
  ctx: Context,
  reply: AnyReply,
  table: ReplyTable | undefined,
  exchange: Exchange<Endpoint>,
  inspect: Inspect | null,
): void {
  if (isProblem(reply)) {
    putProblem(ctx, reply, exchange);
    return;
  }
  const content = contentOf(reply, table, exchange, inspect);
  for (const [name, value] of Object.entries(reply.headers ?? {})) {
    validateHeaderValue(name, String(value));
    ctx.set(name, String(value));
  }
  ctx.status = reply.status;
  if (table?.kind !== 'success' || table.mediaType === null) {
    ctx.body = '';
    ctx.remove('Content-Type');
    return;
  }
  ctx.set('Content-Type', table.mediaType.startsWith('text/') ? `${table.mediaType}; charset=utf-8` : table.mediaType);
  if (table.mediaType === 'text/event-stream') ctx.set(eventStreamHeaders);
  ctx.body = content;
}

function contentOf(
  reply: AnyReply,
  table: ReplyTable | undefined,
  exchange: Exchange<Endpoint>,
  inspect: Inspect | null,
): string | Readable {
  if (table?.kind !== 'success' || table.mediaType === null) return '';
  const { serialize } = table;
  if (serialize === null) return String(reply.body);
  if (!isAsyncIterable(reply.body)) return serialize(reply.body);
  const print = inspect === null ? serialize : inspectedSerializer(table, serialize, inspect);
  return table.mediaType === 'text/event-stream'
    ? streamOf(reply.body, eventFrame(print), heartbeatMs, exchange)
    : streamOf(reply.body, (item) => `${print(item)}\n`, null, exchange);
}

/** Puts a problem on Koa's context, with the members and headers that the catalogue documents. */
export function putProblem(ctx: Context, { status, body }: ProblemReply, exchange: Exchange<Endpoint>): void {
  const { type, title, message, ...others }: Readonly<Record<string, unknown>> = body;
  const form = exchange.problemForms[String(type).replace('/problems/', '')];
  const { retry_after_seconds: delay } = others;
  if (typeof delay === 'number') ctx.set('Retry-After', String(delay));
  if (form !== undefined) ctx.set(form.headers);
  const isScim = exchange.route.errorForm === 'scim';
  ctx.set('Content-Type', isScim ? scimMediaType : 'application/problem+json');
  ctx.status = status;
  const members = documented(others, form?.members ?? {});
  const problem = { type, title, status, message, request_id: exchange.requestId, ...members };
  ctx.body = JSON.stringify(isScim ? scimErrorOf(problem) : problem);
}

/** Leaves out undocumented members, as the serializers of successes do. */
function documented(members: object, forms: Readonly<Record<string, Form>>): object {
  const kept = Object.entries(members).flatMap(([name, member]) => {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    return form === undefined ? [] : [[name, documentedValue(member, form)] as const];
  });
  return Object.fromEntries(kept);
}

function documentedValue(value: unknown, form: Form): unknown {
  if (form === true || typeof value !== 'object' || value === null) return value;
  if (!isList(form)) return documented(value, form);
  return Array.isArray(value) ? value.map((item) => documentedValue(item, form[0])) : value;
}

/** `Array.isArray` does not tell a list that cannot be changed from an object. */
function isList(form: Exclude<Form, true>): form is readonly [Form] {
  return Array.isArray(form);
}

/** Proxies must neither keep nor collect events. The second one is for nginx. */
const eventStreamHeaders = { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' };

/** An event of the HTML standard. JSON and ids have no line breaks. */
function eventFrame(print: (data: unknown) => string): (item: unknown) => string {
  return (item) => {
    const { id, data } = item as ServerSentEvent<unknown>; // the generated reply type of the operation
    return `id: ${id}\ndata: ${print(data)}\n\n`;
  };
}

function inspectedSerializer(
  { validate }: SuccessTable,
  serialize: (item: unknown) => string,
  inspect: Inspect,
): (item: unknown) => string {
  return (item) => {
    inspect(() => {
      if (validate !== null && !validate(item))
        throw new UndocumentedReply('an item of a stream violates the contract');
    });
    return serialize(item);
  };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
