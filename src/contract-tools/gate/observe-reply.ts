import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Exchange } from './exchange.js';
import { decompressed, headersOf, largestBody } from './reply-body.js';

/**
 * Collects a reply while it is written, without a change of it. A reply that is cut off or longer than 16 MiB is not
 * reported.
 */
export function observeReply(
  request: IncomingMessage,
  response: ServerResponse,
  report: (exchange: Exchange) => void,
): void {
  // Frameworks change the URL while they route.
  const { method = 'GET', url = '/' } = request;
  const written: OutgoingHttpHeaders = {};
  const chunks: Buffer[] = [];
  let length = 0;
  let isEnding = false;
  const collect = ([chunk, encoding]: readonly unknown[]): void => {
    if (isEnding) return;
    const bytes = bytesOf(chunk, encoding);
    length += bytes.length;
    if (length <= largestBody) chunks.push(bytes);
  };
  intercept(response, 'writeHead', (args) => {
    Object.assign(written, headersIn(args.at(-1)));
  });
  intercept(response, 'write', collect);
  intercept(response, 'end', (args) => {
    collect(args);
    // Some implementations write the last chunk by write().
    isEnding = true;
  });
  response.once('finish', () => {
    const { statusCode: status } = response;
    const headers = { ...response.getHeaders(), ...written };
    // Node does not send what is written for these (RFC 9112, section 6.3).
    const isBodyless = method === 'HEAD' || status === 204 || status === 304;
    const sent = Buffer.concat(isBodyless ? [] : chunks);
    const body = length > largestBody ? null : decompressed(sent, headers['content-encoding']);
    if (body !== null) report({ method, url, status, headers: headersOf(headers), body });
  });
}

/** Looks at the arguments of a method before it runs. */
function intercept(
  response: ServerResponse,
  name: 'write' | 'end' | 'writeHead',
  look: (args: readonly unknown[]) => void,
): void {
  const original: unknown = Reflect.get(response, name);
  if (typeof original !== 'function') throw new TypeError(`A response without ${name}() cannot be observed.`);
  Reflect.set(response, name, (...args: readonly unknown[]): unknown => {
    look(args);
    const returned: unknown = Reflect.apply(original, response, args);
    return returned;
  });
}

function bytesOf(chunk: unknown, encoding: unknown): Buffer {
  if (typeof chunk === 'string') {
    return Buffer.from(chunk, typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8');
  }
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.alloc(0);
}

/** The headers in the last argument of `writeHead`: an object, or a list of alternating names and values. */
function headersIn(argument: unknown): OutgoingHttpHeaders {
  if (typeof argument !== 'object' || argument === null) return {};
  const entries = Array.isArray(argument) ? pairs(argument.flat()) : Object.entries(argument);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), valueOf(value)]));
}

function pairs(list: readonly unknown[]): [string, unknown][] {
  return list.flatMap((name, index): [string, unknown][] => (index % 2 === 0 ? [[String(name), list[index + 1]]] : []));
}

function valueOf(value: unknown): string | string[] {
  return Array.isArray(value) ? value.map(String) : String(value);
}
