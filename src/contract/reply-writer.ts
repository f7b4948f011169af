import { once } from 'node:events';
import { validateHeaderValue, type ServerResponse } from 'node:http';
import type { Form, ReplyTable, ServerSentEvent } from '../../generated/contract.js';
import { problemForms } from '../../generated/problems.js';
import { acceptedCoding, compressed, isCompressible, varyByCoding, type Coding } from './compression.js';
import type { Exchange } from './exchange.js';
import { isProblem, UndocumentedReply, type AnyReply } from './reply-check.js';

type SuccessTable = Extract<ReplyTable, { kind: 'success' }>;

/** Runs a validation that throws when a reply violates the contract. */
export type Inspect = (validate: () => void) => void;

const heartbeatMs = 15_000;

/** A serialized reply. After serialization only a stream can still fail on the server's side. */
export type PreparedReply =
  | { readonly status: number; readonly headers: Record<string, string | number>; readonly text: string | null }
  | {
      readonly status: number;
      readonly headers: Record<string, string | number>;
      readonly items: AsyncIterable<unknown>;
      /** Writes an item with what separates it from the next one. */
      readonly frame: (item: unknown) => string;
      /** Whether to write something during a long time without an item. */
      readonly hasHeartbeat: boolean;
    };

/**
 * Serializes a reply before its status line is written, so that a failure can still become a clean 500.
 *
 * @param table the contract's entry for the status; undefined for problems of requests that match no operation
 * @param inspect runs the validation of each item of a stream as it is written; null: items are not validated
 */
export function prepareReply(
  reply: AnyReply,
  table: ReplyTable | undefined,
  requestId: string,
  extraHeaders: Readonly<Record<string, string>>,
  inspect: Inspect | null,
): PreparedReply {
  const headers: Record<string, string | number> = { 'X-Request-Id': requestId, ...extraHeaders };
  if (reply.headers !== undefined) {
    for (const [name, value] of Object.entries(reply.headers)) validateHeaderValue(name, String(value));
    Object.assign(headers, reply.headers);
  }
  const { status } = reply;
  if (isProblem(reply)) {
    const form = problemForms[reply.body.type.replace('/problems/', '')];
    const { type, title, message, ...others }: Readonly<Record<string, unknown>> = reply.body;
    const { retry_after_seconds: delay } = others;
    if (typeof delay === 'number') headers['Retry-After'] = delay;
    Object.assign(headers, form?.headers, { 'Content-Type': 'application/problem+json' });
    const members = documented(others, form?.members ?? {});
    return {
      status,
      headers,
      text: JSON.stringify({ type, title, status, message, request_id: requestId, ...members }),
    };
  }
  if (table?.kind !== 'success' || table.mediaType === null) return { status, headers, text: null };
  headers['Content-Type'] = table.mediaType.startsWith('text/') ? `${table.mediaType}; charset=utf-8` : table.mediaType;
  const { serialize } = table;
  if (serialize === null) return { status, headers, text: String(reply.body) };
  if (isAsyncIterable(reply.body)) {
    const print = inspect === null ? serialize : inspectedSerializer(table, serialize, inspect);
    if (table.mediaType !== 'text/event-stream') {
      return { status, headers, items: reply.body, frame: (item) => `${print(item)}\n`, hasHeartbeat: false };
    }
    Object.assign(headers, eventStreamHeaders);
    return { status, headers, items: reply.body, frame: eventFrame(print), hasHeartbeat: true };
  }
  return { status, headers, text: serialize(reply.body) };
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

type StreamReply = Extract<PreparedReply, { items: unknown }>;

/** Writes a prepared reply. Returns undefined for a plain reply; for a stream, a promise that resolves at its end. */
export function writeReply(
  response: ServerResponse,
  reply: PreparedReply,
  bodyless: boolean,
  exchange: Exchange | null,
): Promise<void> | undefined {
  const { status, headers } = reply;
  if ('items' in reply) {
    response.writeHead(status, headers);
    response.flushHeaders(); // sent first, because the first item may take long
    if (!bodyless && exchange !== null) return writeItems(response, reply, exchange);
    response.end();
    // A generator that has not started runs no `finally`, so only the signal releases what its handler opened.
    exchange?.abandon();
    return close(reply.items);
  }
  const { text } = reply;
  const request = exchange?.request;
  if (text !== null && request !== undefined && isCompressible(request.method, text.length)) {
    headers['Vary'] = varyByCoding(response);
    const coding = acceptedCoding(request);
    if (coding !== null) return writeCompressed(response, status, headers, text, coding, bodyless);
  }
  if (text !== null) headers['Content-Length'] = Buffer.byteLength(text);
  else if (status !== 204) headers['Content-Length'] = 0;
  response.writeHead(status, headers);
  response.end(bodyless || text === null ? undefined : text);
  return undefined;
}

async function writeCompressed(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number>>,
  text: string,
  coding: Coding,
  bodyless: boolean,
): Promise<void> {
  const content = await compressed(Buffer.from(text), coding);
  response.writeHead(status, { ...headers, 'Content-Encoding': coding, 'Content-Length': content.length });
  response.end(bodyless ? undefined : content);
}

/** Closes an iterable without a consumer, so that it releases its resources. */
async function close(items: AsyncIterable<unknown>): Promise<void> {
  await items[Symbol.asyncIterator]().return?.();
}

/**
 * Writes the items of a stream, no faster than the caller reads. If the caller disconnects, the iterable is closed.
 * If the iterable fails, the connection is cut, so that the caller does not take a partial reply for a complete one.
 */
async function writeItems(
  response: ServerResponse,
  { items, frame, hasHeartbeat }: StreamReply,
  exchange: Exchange,
): Promise<void> {
  const { signal } = exchange;
  const heartbeat = hasHeartbeat ? startHeartbeat(response) : null;
  try {
    for await (const item of items) {
      if (signal.aborted) return;
      heartbeat?.refresh();
      if (!response.write(frame(item))) await once(response, 'drain', { signal });
    }
    response.end();
  } catch (error) {
    if (!signal.aborted) exchange.log.error({ err: error }, 'a stream failed');
    response.destroy();
  } finally {
    clearInterval(heartbeat ?? undefined);
  }
}

/** Writes comments, so that neither proxies nor the caller take an idle connection for a dead one. */
function startHeartbeat(response: ServerResponse): NodeJS.Timeout {
  const timer = setInterval(() => {
    if (!response.writableNeedDrain && !response.destroyed) response.write(': heartbeat\n\n'); // a slow caller has enough to read
  }, heartbeatMs);
  return timer.unref();
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
