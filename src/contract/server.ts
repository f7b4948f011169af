import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { closeStalled, pipelineLimit } from './connection-limits.js';
import { listenOnSocket } from './unix-socket.js';
import { errorCode } from './system/error-code.js';

export interface RunningServer {
  readonly server: Server | TlsServer;
  /** The address: `http://127.0.0.1:8080`, `https://…` with TLS, `unix:///path` for a Unix socket. */
  readonly url: string;
  /**
   * Stops: accepts no new connections and lets pending requests finish. Removes the name of a Unix socket.
   *
   * @param deadlineMs after this time, open connections are closed
   */
  stop(deadlineMs: number): Promise<void>;
}

export type ServerAddress =
  /** `port` 0 picks a free one. */
  | { readonly host: string; readonly port: number }
  /** A Unix socket that only its owner can access: absolute, in a folder that exists. */
  | { readonly path: string };

/** The server's certificate and key, as PEM. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  /** If set, a client must present a certificate that chains to it, or the handshake fails. */
  readonly clientCa?: string | undefined;
}

/** Time limits for a request's headers and for the whole request, so that slow clients do not hold sockets. */
const headersTimeoutMs = 15_000;
const requestTimeoutMs = 30_000;
/** Longer than the idle timeout of common proxies, so that the proxy and not the server closes idle connections. */
const keepAliveTimeoutMs = 65_000;
const handshakeTimeoutMs = 15_000;
/** Maximum number of waits for connections at a stop, so that a steady stream of them does not prevent it. */
const mostTurns = 100;
/** Maximum time in which a client reads nothing of a reply that is ready. */
const stalledMs = 60_000;

/**
 * Listens for HTTP, or for HTTPS (TLS 1.2 or later) if `tls` is given.
 *
 * @throws SocketPathError when the Unix socket cannot be created, otherwise the system's error; OpenSSL's error when
 * certificate and key do not match
 */
export async function listen(
  listener: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
  address: ServerAddress,
  tls: TlsMaterial | null = null,
): Promise<RunningServer> {
  const server = tls === null ? createServer(timeouts) : createTlsServer({ ...timeouts, ...tlsOptions(tls) });
  const isWithinLimit = pipelineLimit();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isWithinLimit(request, response)) void listener(request, response); // Koa's callback handles its failures
  });
  server.on('clientError', (error, socket) => {
    const reply = replyToWhatIsNoRequest(error);
    if (reply !== null && socket.writable) socket.end(reply);
    else socket.destroy();
  });
  const connections = openConnections(server);
  const sweep = closeStalled(connections, stalledMs);
  server.once('close', () => {
    clearInterval(sweep);
  });
  if ('path' in address) {
    const removeName = await listenOnSocket(server, address.path);
    return {
      server,
      url: `unix://${address.path}`,
      stop: async (deadlineMs) => {
        await removeName();
        await stop(server, connections, deadlineMs);
      },
    };
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a path
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return {
    server,
    url: `${tls === null ? 'http' : 'https'}://${host}:${port}`,
    stop: (deadlineMs) => stop(server, connections, deadlineMs),
  };
}

/**
 * Checks that the server can listen on an address, before slow parts of a start. `listen` may still fail: another
 * process may take the port in between.
 *
 * @throws the system's error, such as EADDRINUSE
 */
export async function assertListenable(host: string, port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(port, host, resolve);
  });
  await new Promise((resolve) => probe.close(resolve));
}

const timeouts = {
  requestTimeout: requestTimeoutMs,
  headersTimeout: headersTimeoutMs,
  keepAliveTimeout: keepAliveTimeoutMs,
};

function tlsOptions({ cert, key, clientCa }: TlsMaterial): object {
  const client = clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true };
  return { cert, key, ...client, minVersion: 'TLSv1.2', handshakeTimeout: handshakeTimeoutMs };
}

/**
 * The minimal reply to input that is not HTTP, which never reaches the pipeline. null: no reply, because the connection
 * broke or the TLS handshake failed.
 */
function replyToWhatIsNoRequest(error: Error): string | null {
  const code = errorCode(error) ?? '';
  if (!code.startsWith('HPE_') && code !== 'ERR_HTTP_REQUEST_TIMEOUT') return null;
  const status =
    code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}

/** All open connections: Node's list lacks those with an unfinished TLS handshake. */
function openConnections(server: Server | TlsServer): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

async function stop(server: Server | TlsServer, connections: ReadonlySet<Socket>, deadlineMs: number): Promise<void> {
  await takeWaiting(server);
  const closed = new Promise<void>((resolve) =>
    server.close(() => {
      resolve();
    }),
  );
  server.closeIdleConnections();
  // Kept-alive connections become idle after their last reply. The event loop reads before immediates run, so a request
  // that has arrived is not closed as idle.
  const sweep = setInterval(() => {
    setImmediate(() => {
      server.closeIdleConnections();
    });
  }, 50);
  const deadline = setTimeout(() => {
    for (const socket of connections) socket.destroy();
  }, deadlineMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}

/**
 * Lets the event loop take the connections that the system has accepted, and read what they have sent. Closing the
 * listener would reset those connections, and a connection whose request is not read counts as idle.
 */
async function takeWaiting(server: Server | TlsServer): Promise<void> {
  let taken = 0;
  const count = (): void => void (taken += 1);
  server.on('connection', count);
  for (let turn = 0, before = -1; turn < mostTurns && taken > before; turn += 1) {
    before = taken;
    await nextTurn();
    await nextTurn();
  }
  server.off('connection', count);
}
