import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import accepts from 'accepts';
import type { Context } from 'koa';

export type Coding = 'br' | 'gzip';

/** Below this many bytes, compression saves no packet. */
const leastBytes = 1024;

/** Compression delays the reply: level 4 of Brotli takes as long as gzip and saves more. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const compressors: Readonly<Record<Coding, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) => promisify(brotliCompress)(content, brotliOptions),
  gzip: promisify<Buffer, Buffer>(gzip),
};

/** The coding that the caller prefers; null: uncompressed. */
export function acceptedCoding(request: IncomingMessage): Coding | null {
  if (request.headers['accept-encoding'] === undefined) return null;
  const coding = accepts(request).encodings('br', 'gzip', 'identity');
  return coding === 'br' || coding === 'gzip' ? coding : null;
}

/**
 * Whether the text of an operation's reply may be compressed. Only replies to GET and HEAD are: an attacker who can
 * send requests as another user and observe the length of replies could guess a secret next to text that the attacker
 * chose (the BREACH attack). Replies with secrets, such as those of a login, answer POST.
 */
export function isCompressible(method: string | undefined, bytes: number): boolean {
  return bytes >= leastBytes && (method === 'GET' || method === 'HEAD');
}

export async function compressed(content: Buffer, coding: Coding): Promise<Buffer> {
  return compressors[coding](content);
}

/** `Vary` with `Accept-Encoding`, in addition to the values that middleware such as CORS has set. */
export function varyByCoding(response: ServerResponse): string {
  const names = String(response.getHeader('Vary') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name.toLowerCase() !== 'accept-encoding');
  return [...names, 'Accept-Encoding'].join(', ');
}

/**
 * Compresses the text of a reply outside the contract: a page, a file, a GraphQL reply. Handlers opt out by setting
 * `ctx.state.compress` to false.
 */
export async function compressPage(ctx: Context): Promise<void> {
  const body: unknown = ctx.body;
  if (!(typeof body === 'string' || Buffer.isBuffer(body)) || ctx.state['compress'] === false) return;
  if (!isText(ctx.response.type) || ctx.res.hasHeader('Content-Encoding') || body.length < leastBytes) return;
  ctx.vary('Accept-Encoding');
  const coding = acceptedCoding(ctx.req);
  if (coding === null) return;
  const content = await compressed(Buffer.from(body), coding);
  ctx.set('Content-Encoding', coding);
  ctx.body = content; // which also sets the length
}

function isText(type: string): boolean {
  return type.startsWith('text/') || /[/+](?:json|xml|javascript)$/.test(type);
}
