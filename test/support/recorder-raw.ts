import { connect, type Socket } from 'node:net';
import type { Exchange } from './recorder.js';

/** A reply as it came over the wire. */
export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** Whether the server closed the connection after it. */
  readonly closed: boolean;
}

/**
 * Sends bytes over a new TCP connection and reads one reply. For requests that no client library would send.
 *
 * @param url the server, `http://127.0.0.1:8080`
 * @param request what to send, piece by piece; lines end in CRLF
 * @throws Error when the connection ends without a complete reply
 */
export async function sendRaw(url: string, ...request: readonly (string | Uint8Array)[]): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // A server that has answered may refuse the rest of the request; what counts is what it sent.
  socket.on('error', () => undefined);
  for (const piece of request) socket.write(piece);
  try {
    return await readReply(socket, String(request[0]).startsWith('HEAD '));
  } finally {
    socket.destroy();
  }
}

/** The same as an exchange for `recordExchange`. */
export function rawExchange(method: string, url: string, { status, headers, body }: RawReply): Exchange {
  return { method, url, status, headers, body };
}

async function readReply(socket: Socket, bodyless: boolean): Promise<RawReply> {
  let received = Buffer.alloc(0);
  let reply: Omit<RawReply, 'closed'> | null = null;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received = Buffer.concat([received, chunk as Buffer]); // no encoding is set, so chunks are buffers
    reply = parseReply(received, bodyless, false);
    if (reply !== null && reply.headers.get('connection') !== 'close') return { ...reply, closed: false };
  }
  reply = parseReply(received, bodyless, true);
  if (reply === null) throw new Error(`The connection ended after ${received.length} bytes, within the reply`);
  return { ...reply, closed: true };
}

/** Reads a reply whose length is stated, or that ends with the connection; null while it is not complete. */
function parseReply(bytes: Buffer, bodyless: boolean, ended: boolean): Omit<RawReply, 'closed'> | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Headers();
  for (const line of lines) headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim());
  const body = bytes.subarray(end + 4);
  const length = bodyless ? 0 : Number(headers.get('content-length') ?? (ended ? body.length : Infinity));
  return body.length < length ? null : { status: Number(statusLine.split(' ')[1]), headers, body };
}
