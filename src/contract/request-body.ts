import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { ProblemReply } from '../../generated/contract.js';
import { malformedRequest, payloadTooLarge } from '../../generated/problems.js';
import type { Exchange } from './exchange.js';
import { unusableText, unusableTextIn, type UnusableText } from './unusable-text.js';
import { validationProblem } from './violations.js';

/** The caller disconnected before the body was complete, so there is no reply. */
export class RequestAborted extends Error {
  override name = 'RequestAborted';
}

/**
 * Reads the body, up to the operation's limit (413).
 *
 * @throws RequestAborted when the connection ends first
 */
export async function readBody(exchange: Exchange): Promise<ProblemReply | null> {
  const { request, route } = exchange;
  if (route.body === null) return null;
  const bytes = await readBytes(request, route.maxBodyBytes);
  if (bytes === null) {
    // The rest of the body is not read, so the connection cannot serve another request.
    exchange.replyHeaders['Connection'] = 'close';
    return payloadTooLarge({
      message: `Send at most ${route.maxBodyBytes} bytes in the body.`,
      max_bytes: route.maxBodyBytes,
    });
  }
  exchange.rawBody = bytes;
  return null;
}

function readBytes(request: IncomingMessage, limit: number): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        request.removeAllListeners('data');
        request.pause();
        resolve(null);
      } else chunks.push(chunk);
    });
    request.on('end', () => {
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length));
    });
    // A connection that closes before the body is complete also emits an error.
    request.on('error', (cause) => {
      reject(new RequestAborted('The request ended early', { cause }));
    });
  });
}

export type ParsedBody = { readonly value: unknown } | { readonly problem: ProblemReply };

/**
 * Parses the bytes as JSON in UTF-8 (400), and rejects text that cannot be stored (422). An absent body is `undefined`;
 * a body of another media type is returned as text.
 */
export function parseBody(bytes: Buffer | null, mediaType = 'application/json'): ParsedBody {
  if (bytes === null || bytes.length === 0) return { value: undefined };
  const isJson = mediaType === 'application/json';
  if (!isUtf8(bytes)) return isJson ? malformed('it is not UTF-8.') : { problem: notText };
  const text = bytes.toString('utf8');
  if (!isJson) return refusedFor(unusableText(text)) ?? { value: text };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return malformed(whereParsingStopped(error));
  }
  // Valid UTF-8 has no lone surrogates, and JSON no raw U+0000: both occur only as escape sequences.
  const unusable = unusableEscape.test(text) ? unusableTextIn(value) : null;
  return refusedFor(unusable) ?? { value };
}

const unusableEscape = /\\u(?:0000|d[89a-f])/i;

function refusedFor(unusable: UnusableText | null): { readonly problem: ProblemReply } | null {
  return unusable === null ? null : { problem: validationProblem([{ path: '/body', ...unusable }]) };
}

const notText = malformedRequest({ message: 'Send the body as text in UTF-8: it is not UTF-8.' });

function malformed(why: string): { problem: ProblemReply } {
  return { problem: malformedRequest({ message: `Send the body as one JSON value in UTF-8: ${why}` }) };
}

/** V8's message quotes the text around the error, which may be a password: report only the position. */
function whereParsingStopped(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const position = /position (\d+)/.exec(message)?.[1]; // V8 omits it for short texts
  if (position !== undefined) return `it is invalid at character ${position}.`;
  return message.includes('end of JSON input') ? 'it ends too early.' : 'it is not JSON.';
}
