import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RunningServer {
  readonly server: Server;
  /** The address to reach it at: `http://127.0.0.1:8080`. */
  readonly url: string;
  /**
   * Stops: no new connections, requests under way finish.
   *
   * @param deadlineMs when the connections that are still open are cut
   */
  stop(deadlineMs: number): Promise<void>;
}

/** A caller gets this long to send a request's headers, and as long again for the whole request: slow ones hold no socket. */
const headersTimeoutMs = 15_000;
const requestTimeoutMs = 30_000;
/** Longer than the idle time of usual proxies, so that they and not we close idle connections. */
const keepAliveTimeoutMs = 65_000;

/**
 * Listens for HTTP on a TCP port.
 *
 * @param address `port` 0 picks a free one
 * @throws the system's error when the address cannot be had
 */
export async function listen(
  listener: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
  address: { host: string; port: number },
): Promise<RunningServer> {
  const server = createServer(
    { requestTimeout: requestTimeoutMs, headersTimeout: headersTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs },
    (request, response) => {
      void listener(request, response); // Koa's callback answers its own failures
    },
  );
  server.on('clientError', (error, socket) => {
    if (socket.writable) socket.end(replyToWhatIsNoRequest(error));
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a path
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return { server, url: `http://${host}:${port}`, stop: (deadlineMs) => stop(server, deadlineMs) };
}

/** What is not HTTP never reaches the pipeline; this is the least that a client can make sense of. */
function replyToWhatIsNoRequest(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  const status =
    code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}

async function stop(server: Server, deadlineMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) =>
    server.close(() => {
      resolve();
    }),
  );
  server.closeIdleConnections();
  // Connections kept alive become idle one by one as their last reply goes out.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, 50);
  const deadline = setTimeout(() => {
    server.closeAllConnections();
  }, deadlineMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
