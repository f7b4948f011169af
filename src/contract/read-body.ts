import type { IncomingMessage } from 'http';
import type { ProblemReply } from '../../generated/contract.js';
import { payloadTooLarge } from '../../generated/problems.js';
import type { Endpoint, Exchange } from './exchange.js';
import { closeLingering } from './lingering-close.js';

/** The caller disconnected before the body was complete, so there is no reply. */
export class RequestAborted extends Error {
  override name = 'RequestAborted';
}

/**
 * Reads the body, up to the operation's limit (413).
 *
 * @throws RequestAborted when the connection ends first
 */
export async function readBody(exchange: Exchange<Endpoint>): Promise<ProblemReply | null> {
  const { request, route } = exchange;
  if (route.body === null) return null;
  const bytes = await readBytes(request, route.maxBodyBytes);
  if (bytes === null) return refuseLongBody(exchange);
  exchange.rawBody = bytes;
  return null;
}

/** The problem (413) for a body that is too large. The rest of it is dropped, and the connection is closed. */
export function refuseLongBody({ request, route, replyHeaders }: Exchange<Endpoint>): ProblemReply {
  const { maxBodyBytes } = route;
  replyHeaders['Connection'] = 'close';
  closeLingering(request);
  return payloadTooLarge({ message: `Send at most ${maxBodyBytes} bytes in the body.`, max_bytes: maxBodyBytes });
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
