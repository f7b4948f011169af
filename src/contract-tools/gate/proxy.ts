import {
  createServer,
  request as requestHttp,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Exchange } from './exchange.js';
import { decompressed, headersOf, largestBody } from './reply-body.js';

/** Headers of one connection (RFC 9110, section 7.6.1), which a proxy does not pass on. */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What the proxy reports. It keeps nothing of requests but method and URL. */
export interface ProxyEvents {
  /** A complete exchange; the body is decompressed. */
  exchange(exchange: Exchange): void;
  /** The target could not be reached, or a reply was not recorded. */
  problem(message: string): void;
}

/**
 * Passes every request on to `target` and every reply back, as they come, and reports each exchange. Requests for an
 * upgrade, such as WebSockets, are answered with 501.
 *
 * @param target absolute URL; its path is put before the path of each request
 */
export function createRecordingProxy(target: URL, events: ProxyEvents): Server {
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  const prefix = target.pathname.replace(/\/$/, '');
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/';
    const forwarded = send(
      target,
      {
        method: incoming.method,
        path: `${prefix}${path}`,
        headers: { ...withoutConnection(incoming.headers), ...framingOf(incoming.headers), host: target.host },
      },
      (reply) => {
        try {
          outgoing.writeHead(reply.statusCode ?? 0, reply.statusMessage, withoutConnection(reply.headers));
        } catch (error) {
          // A status that HTTP does not have, which the parser accepts.
          fail(error instanceof Error ? error.message : String(error));
          forwarded.destroy();
          return;
        }
        collect(reply, (body) => {
          if (body === null) {
            events.problem(`The reply to ${incoming.method ?? ''} ${withoutQuery(path)} was too long or cut off.`);
            return;
          }
          const { method = 'GET' } = incoming;
          const headers = headersOf(reply.headers);
          events.exchange({ method, url: path, status: reply.statusCode ?? 0, headers, body });
        });
        reply.pipe(outgoing);
        reply.once('aborted', () => outgoing.destroy());
      },
    );
    const fail = (reason: string): void => {
      events.problem(`${target.origin} did not answer ${incoming.method ?? ''} ${withoutQuery(path)}: ${reason}`);
      if (!outgoing.headersSent) outgoing.writeHead(502, 'Bad Gateway', { 'content-type': 'text/plain' });
      outgoing.end('The server behind the recording proxy did not answer.\n');
    };
    forwarded.once('error', (error) => {
      fail(error.message);
    });
    forwarded.once('upgrade', (_reply, socket) => {
      socket.destroy();
      fail('it upgraded the connection, which was not requested');
    });
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) forwarded.destroy();
    });
    incoming.pipe(forwarded);
  });
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 501 Not Implemented\r\nconnection: close\r\n\r\n'));
  return server;
}

function collect(reply: IncomingMessage, done: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  reply.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= largestBody) chunks.push(chunk);
  });
  reply.once('close', () => {
    if (!reply.complete || length > largestBody) done(null);
    else done(decompressed(Buffer.concat(chunks), reply.headers['content-encoding']));
  });
}

function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(/ *, */);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !ofConnection.has(name) && !named.includes(name)),
  );
}

/**
 * The framing of a request's body. Node writes a body of GET or DELETE without any without a header that says so: the target would
 * read the body as the next request.
 */
function framingOf(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  const { 'content-length': length } = headers;
  return length === undefined ? {} : { 'content-length': length };
}

function withoutQuery(path: string): string {
  return path.replace(/\?.*$/s, '').slice(0, 200);
}
