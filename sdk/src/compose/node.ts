/// <reference types="node" />
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Fetch, FetchInit } from '../transport.js';
import type { Endpoint } from './address.js';
import type { Transport } from './client.js';

/** TLS certificates and keys, as PEM texts or bytes. */
export interface TlsCredentials {
  /** The CA of the server's certificate (default: the CAs that Node trusts). */
  readonly ca?: string | Uint8Array | undefined;
  /** The client's certificate and its key. */
  readonly cert?: string | Uint8Array | undefined;
  readonly key?: string | Uint8Array | undefined;
  /** The name in the server's certificate, if it is not the host of the address. */
  readonly servername?: string | undefined;
}

/**
 * Connects to a compose server over Unix sockets, TCP and TLS with client certificates, for Node. Connections are
 * reused; idle ones do not keep the process alive. Streams are read as fast as they are consumed.
 *
 * @param tls for a `tls://` address
 */
export function nodeTransport(tls: TlsCredentials = {}): Transport {
  return (endpoint) => {
    const connection = connectionOptions(endpoint, tls);
    const request = endpoint.scheme === 'tls' ? httpsRequest : httpRequest;
    const fetch: Fetch = (url, init) =>
      new Promise((resolve, reject) => {
        init.signal.throwIfAborted();
        const { pathname, search } = new URL(url);
        const { method, headers, body } = init;
        const sent = request({ ...connection, path: pathname + search, method, headers: { ...headers } });
        const release = onAbort(init, (reason) => sent.destroy(reason));
        sent.on('error', (error) => {
          release();
          reject(error);
        });
        sent.on('response', (response) => {
          // From here on, end the response and not the request: after a complete reply the request's socket is back in
          // the agent, where nobody listens to its errors.
          release();
          response.once(
            'close',
            onAbort(init, (reason) => response.destroy(reason)),
          );
          resolve(responseOf(response, method));
        });
        sent.end(body);
      });
    return fetch;
  };
}

function connectionOptions(endpoint: Endpoint, { ca, cert, key, servername }: TlsCredentials): RequestOptions {
  if (endpoint.scheme === 'unix') {
    return { agent: new HttpAgent({ keepAlive: true }), socketPath: endpoint.path, host: 'localhost' };
  }
  const { scheme, host, port } = endpoint;
  if (scheme === 'tcp') return { agent: new HttpAgent({ keepAlive: true }), host, port };
  const credentials = Object.entries({ ca, cert, key, servername }).filter(([, value]) => value !== undefined);
  const agent = new HttpsAgent({ keepAlive: true, minVersion: 'TLSv1.2', ...Object.fromEntries(credentials) });
  return { agent, host, port };
}

/** @returns stops listening to the signal */
function onAbort({ signal }: FetchInit, end: (reason: Error) => void): () => void {
  const abort = (): void => {
    const reason: unknown = signal.reason;
    end(reason instanceof Error ? reason : new Error('The request was aborted', { cause: reason }));
  };
  signal.addEventListener('abort', abort, { once: true });
  return () => {
    signal.removeEventListener('abort', abort);
  };
}

function responseOf(message: IncomingMessage, method: string): Response {
  const headers = new Headers();
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2) {
    headers.append(message.rawHeaders[at] ?? '', message.rawHeaders[at + 1] ?? '');
  }
  const status = message.statusCode ?? 0;
  const isEmpty = status === 204 || status === 205 || status === 304 || method.toUpperCase() === 'HEAD';
  if (isEmpty) message.resume();
  return new Response(isEmpty ? null : streamOf(message), { status, headers });
}

/** The body, read on demand: a slow consumer slows down the server and does not fill memory. */
function streamOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Buffer, undefined> = message[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
