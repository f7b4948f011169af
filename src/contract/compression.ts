import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import accepts from 'accepts';
import type { Context } from 'koa';
import type { Endpoint, Exchange } from './exchange.js';

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

/** Compresses the text of a reply, if its exchange allows it and the caller accepts a coding. */
export function compressReply(ctx: Context, { isCompressible }: Exchange<Endpoint>): Promise<void> | undefined {
  const body: unknown = ctx.body;
  if (!isCompressible || !(typeof body === 'string' || Buffer.isBuffer(body)) || body.length < leastBytes) return;
  if (!isText(ctx.response.type) || ctx.res.hasHeader('Content-Encoding')) return;
  ctx.vary('Accept-Encoding');
  const coding = acceptedCoding(ctx.req);
  return coding === null ? undefined : compress(ctx, body, coding);
}

async function compress(ctx: Context, body: string | Buffer, coding: Coding): Promise<void> {
  const content = await compressors[coding](Buffer.from(body));
  ctx.set('Content-Encoding', coding);
  ctx.body = content; // which also sets the length
}

function isText(type: string): boolean {
  return type.startsWith('text/') || /[/+](?:json|xml|javascript|yaml)$/.test(type);
}
