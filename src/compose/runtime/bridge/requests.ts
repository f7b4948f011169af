/**
 * HTTP requests to a container engine. A client library of engines takes longer to load than most commands run, so the
 * requests are made with Node's HTTP client.
 */
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { parseJson } from '../json.js';
import type { EngineAddress } from './address.js';
import { sshConnection } from './ssh-connection.js';
import { registryAuthHeader, type RegistryAuth } from './registry-auth.js';
import type { EngineTls } from './tls.js';

export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Without the query. Names in it are encoded by `segment` or `imageSegment`. */
  readonly path: string;
  /** A list is repeated. Undefined values are omitted. */
  readonly query?: Readonly<Record<string, QueryValue | readonly string[] | undefined>>;
  /** Sent as JSON. */
  readonly json?: object;
  /** Sent unchanged, for example a build context. */
  readonly body?: Readable;
  readonly auth?: RegistryAuth | undefined;
  /** Upgrades the connection to a bidirectional stream. */
  readonly upgrade?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export type QueryValue = string | number | boolean;

/** A reply with a status that is not a success. */
export class EngineReplyError extends Error {
  override readonly name = 'EngineReplyError';
  readonly statusCode: number;
  /** The parsed body, if it is JSON. */
  readonly json: unknown;

  constructor(statusCode: number, text: string) {
    super(text.trim());
    this.statusCode = statusCode;
    this.json = parseJson(text);
  }
}

/** A new TLS connection failed, which can be the client's certificate: engines refuse one after the handshake. */
export class TlsConnectionError extends Error {
  override readonly name = 'TlsConnectionError';
  /** A code of the system or of OpenSSL, such as ECONNRESET. */
  readonly code: string;
  readonly hasCertificate: boolean;

  constructor(cause: NodeJS.ErrnoException, hasCertificate: boolean) {
    super(cause.message, { cause });
    this.code = cause.code ?? '';
    this.hasCertificate = hasCertificate;
  }
}

/** Sends a request. @returns the body of a successful reply, or the upgraded connection */
export type Send = (request: EngineRequest) => Promise<Readable>;

/** Encodes a name for a path. */
export function segment(name: string): string {
  return encodeURIComponent(name);
}

/** Encodes an image name for a path. Engines expect unencoded slashes. */
export function imageSegment(reference: string): string {
  return encodeURIComponent(reference).replace(/%(2F|3A|40)/g, decodeURIComponent);
}

/**
 * Connections are kept open between requests, and do not keep the process running.
 *
 * @param environment of ssh
 */
export function sender(address: EngineAddress, environment: NodeJS.ProcessEnv = {}): Send {
  const tls = address.kind === 'tcp' ? address.tls : undefined;
  const agent =
    tls === undefined ? new http.Agent({ keepAlive: true }) : new https.Agent({ keepAlive: true, ...tlsOptions(tls) });
  if (address.kind === 'ssh') agent.createConnection = () => sshConnection(address, environment);
  const target: RequestOptions = {
    agent,
    ...(address.kind === 'socket'
      ? // Without a server name, Node.js would compute one.
        { socketPath: address.path, servername: '' }
      : address.kind === 'tcp'
        ? { host: address.host, port: address.port }
        : { host: 'localhost' }),
  };
  const open = tls === undefined ? http.request : https.request;
  const dial = (request: EngineRequest): Promise<Readable> =>
    new Promise((resolve, reject) => {
      const { method, signal } = request;
      const body = request.json === undefined ? undefined : Buffer.from(JSON.stringify(request.json));
      const outgoing = open({
        ...target,
        method,
        path: `${request.path}${queryText(request.query)}`,
        headers: headersOf(request, body),
        ...(signal && { signal }),
      });
      outgoing.on('upgrade', (_reply, socket, head) => {
        // Readers of the stream get the error. Without a reader, an error without a listener would end the process.
        socket.on('error', () => undefined);
        if (request.upgrade !== true) {
          socket.destroy();
          reject(new Error('The container engine upgraded a connection without being asked.'));
          return;
        }
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      outgoing.on('response', (reply) => {
        accepted(reply).then(resolve, reject);
      });
      outgoing.on('error', (error) => {
        // The engine closed a kept-alive connection before it read the request.
        if (outgoing.reusedSocket && method === 'GET' && isReset(error)) dial(request).then(resolve, reject);
        else
          reject(
            tls === undefined || outgoing.reusedSocket ? error : new TlsConnectionError(error, tls.cert !== undefined),
          );
      });
      if (request.body === undefined) outgoing.end(body);
      else {
        request.body.on('error', (error) => outgoing.destroy(error));
        request.body.pipe(outgoing);
      }
    });
  return dial;
}

/** Reads a reply to its end, unless the request's signal aborts. @returns the parsed JSON; undefined if it is not JSON */
export async function jsonOf(reply: Readable): Promise<unknown> {
  return parseJson((await bytesOf(reply)).toString('utf8'));
}

/** Neither `buffer` of `node:stream/consumers`, which loads far more, nor an iterator, which takes longer. */
function bytesOf(reply: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    reply.on('data', (chunk: Buffer) => chunks.push(chunk)); // No encoding is set.
    reply.on('end', () => {
      resolve(Buffer.concat(chunks));
    });
    reply.on('error', reject);
  });
}

async function accepted(reply: IncomingMessage): Promise<Readable> {
  const { statusCode = 0 } = reply;
  if (statusCode >= 200 && statusCode < 300) return reply;
  throw new EngineReplyError(statusCode, (await bytesOf(reply)).toString('utf8'));
}

function headersOf({ auth, upgrade, body }: EngineRequest, json: Buffer | undefined): http.OutgoingHttpHeaders {
  return {
    ...(json !== undefined && { 'Content-Type': 'application/json' }),
    ...(body !== undefined && { 'Content-Type': 'application/x-tar', 'Transfer-Encoding': 'chunked' }),
    ...(body === undefined && { 'Content-Length': json?.length ?? 0 }),
    ...(auth !== undefined && { 'X-Registry-Auth': registryAuthHeader(auth) }),
    ...(upgrade === true && { Connection: 'Upgrade', Upgrade: 'tcp' }),
  };
}

function queryText(query: EngineRequest['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of typeof value === 'object' ? value : [value]) parameters.append(name, String(each));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

function tlsOptions({ ca, cert, key, isUnverified }: EngineTls): https.AgentOptions {
  return {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(isUnverified === true && { rejectUnauthorized: false }),
  };
}

function isReset(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}
