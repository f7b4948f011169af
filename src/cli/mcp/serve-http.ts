/**
 * The tools over streamable HTTP. Every request has its own service token, client and server: no state of one caller can
 * serve another.
 */
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopbackName } from '@plumbline/contract/local-request';
import { countOpen, type OpenCounts } from '@plumbline/contract/system/open-counts';
import { createPlatformClient, PlumblineError, type PlatformClient } from '../sdk.js';
import { identityOf, SERVICE_TOKEN_PREFIX, type Identity } from '../login/identity.js';
import { headersOf, nameInUrl, type Host } from './host.js';
import { StreamableHTTPServerTransport } from './protocol.js';
import { createToolServer } from './tool-server.js';
import type { ToolSelection } from './toolsets.js';

/** Where the tools are. */
const PATH = '/mcp';

/** The largest request. Arguments of tools are small. */
const MOST_BYTES = 1_048_576;

/** The most messages of one request: each can be a query. Newer versions of the protocol allow one. */
const MOST_MESSAGES = 20;

/** For the whole request to arrive. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The most open requests of one token. Each holds a connection to the Plumbline server. */
const MOST_REQUESTS = 10;

export interface HttpOptions {
  /** The address of the Plumbline server. */
  readonly server: string;
  readonly host: string;
  readonly port: number;
  /** Hosts besides the address by which callers may reach this server. */
  readonly allowedHosts: readonly Host[];
  readonly selection: ToolSelection;
  readonly now: () => Date;
}

/** A server that listens. */
export interface Listening {
  readonly http: HttpServer;
  /** Where the tools are. */
  readonly url: string;
  /** The values of the `Host` header that mean the address. */
  readonly headers: readonly string[];
}

/** Starts to listen. */
export async function serveHttp(options: HttpOptions): Promise<Listening> {
  const open = countOpen(MOST_REQUESTS);
  const http = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    answer(request, response, options, open).catch(() => {
      // The cause may contain the arguments of the caller, so it is not logged.
      if (response.headersSent) response.destroy();
      else refuse(response, 500, -32_603, 'The server of tools failed.');
    });
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(options.port, options.host, resolve);
  });
  const { port } = http.address() as AddressInfo; // a server on a port has such an address
  return {
    http,
    url: `http://${nameInUrl(options.host)}:${port}${PATH}`,
    headers: headersOf({ name: options.host, port }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
  open: OpenCounts,
): Promise<void> {
  const token = admitted(request, response, options);
  if (token === null) return;
  const end = open.open(token);
  if (end === null) {
    response.setHeader('Retry-After', '1');
    refuse(response, 429, -32_000, `A token may have at most ${MOST_REQUESTS} open requests. Wait until one ends.`);
    return;
  }
  const gone = new AbortController();
  response.on('close', () => {
    end();
    gone.abort();
  });
  // Before the body is read: strangers must not fill the memory with bodies.
  const client = createPlatformClient({ baseUrl: options.server, token });
  const identity = await identityUnlessRefused(client, gone.signal);
  if (gone.signal.aborted) return;
  if (identity === null) {
    refuseToken(response, 'The service token is invalid, expired or revoked.');
    return;
  }
  const body = await readBody(request);
  if (body === null) {
    response.setHeader('Connection', 'close');
    refuse(response, 413, -32_600, `A request may have at most ${MOST_BYTES} bytes.`);
    return;
  }
  const message = parsed(body);
  if (message === undefined) {
    refuse(response, 400, -32_700, 'The body is not JSON.');
    return;
  }
  if (Array.isArray(message) && message.length > MOST_MESSAGES) {
    refuse(response, 400, -32_600, `A batch may have at most ${MOST_MESSAGES} messages.`);
    return;
  }
  const { protocol } = createToolServer({ client, identity, now: options.now }, options.selection);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void protocol.close());
  await protocol.connect(transport);
  await transport.handleRequest(request, response, message);
}

/** Checks all but the body. @returns the token; null: the request has been refused */
function admitted(request: IncomingMessage, response: ServerResponse, options: HttpOptions): string | null {
  const { host, origin, authorization } = request.headers;
  const names = namesOf(request, options);
  // A page of another site reaches this server by its browser, or by a name that it makes resolve to this machine.
  if (host === undefined || !names.has(host.toLowerCase())) {
    return refuse(response, 403, -32_600, 'The Host header names another server.');
  }
  if (origin !== undefined && !names.has(origin.toLowerCase().replace(/^https?:\/\//, ''))) {
    return refuse(response, 403, -32_600, 'The Origin header names another site.');
  }
  if (pathOf(request) !== PATH) {
    return refuse(response, 404, -32_600, `The tools are at ${PATH}.`);
  }
  if (request.method !== 'POST') {
    response.setHeader('Allow', 'POST');
    return refuse(response, 405, -32_600, 'Send a POST request.');
  }
  const [, token] = /^Bearer ([\w.~+/-]{1,512}=*)$/i.exec(authorization ?? '') ?? [];
  if (token?.startsWith(SERVICE_TOKEN_PREFIX) !== true) {
    return refuseToken(response, 'Send a service token in the Authorization header: Bearer <token>.');
  }
  return token;
}

/** null: what was sent is not an address, such as `//`. */
function pathOf({ url = '/' }: IncomingMessage): string | null {
  const base = 'http://localhost';
  return URL.canParse(url, base) ? new URL(url, base).pathname : null;
}

/** What `Host` and `Origin` may name. */
function namesOf(request: IncomingMessage, { host, allowedHosts }: HttpOptions): ReadonlySet<string> {
  const port = request.socket.localPort ?? 0;
  const local = [host, ...(isLoopback(host) ? ['127.0.0.1', '::1', 'localhost'] : [])];
  return new Set([...local.map((name) => ({ name, port })), ...allowedHosts].flatMap(headersOf));
}

/** Whether only programs of this machine reach the address. */
export function isLoopback(host: string): boolean {
  return isLoopbackName(nameInUrl(host));
}

/** null: it is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES) return null;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** Asks once per request. @returns null when the server refuses the token; other failures are left to the tool */
async function identityUnlessRefused(
  client: PlatformClient,
  signal: AbortSignal,
): Promise<(() => Promise<Identity>) | null> {
  const identity = identityOf(client, { signal });
  const error: unknown = await identity.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof PlumblineError && error.status === 401 ? null : () => identity;
}

function refuseToken(response: ServerResponse, message: string): null {
  response.setHeader('WWW-Authenticate', 'Bearer');
  return refuse(response, 401, -32_001, message);
}

function refuse(response: ServerResponse, status: number, code: number, message: string): null {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
  return null;
}
