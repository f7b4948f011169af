import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum number of unanswered requests on one connection. Browsers, proxies and our SDK send one after the other. */
const mostUnanswered = 8;

/**
 * Limits the unanswered requests on one connection. Node parses all requests of a packet at once, and buffers every
 * reply until the ones before it are read: 64 KB of pipelined requests would hold hundreds of megabytes.
 *
 * @returns whether to answer the request; if not, its connection is closed
 */
export function pipelineLimit(): (request: IncomingMessage, response: ServerResponse) => boolean {
  const connections = new WeakMap<Socket, { unanswered: number }>();
  return ({ socket }, response) => {
    const known = connections.get(socket);
    const connection = known ?? { unanswered: 0 };
    if (known === undefined) connections.set(socket, connection);
    if (socket.destroyed || connection.unanswered === mostUnanswered) {
      socket.destroy();
      return false;
    }
    connection.unanswered += 1;
    response.once('close', () => {
      connection.unanswered -= 1;
    });
    return true;
  };
}

/** Bytes of a connection that wait for its client to read, and those that the system took before them. */
interface Progress {
  readonly waiting: number;
  readonly taken: number;
}

/**
 * Asks the handle of the system, which Node keeps private: the public counters count a chunk as written only when all
 * of it is, so a slow reader of a large one looks like one that reads nothing; and under TLS, whose bytes bypass the
 * socket's stream, they never show what waits. Without such a handle, the public counters have to do.
 */
function progressOf(socket: Socket): Progress {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle === 'object' && handle !== null) {
    const waiting: unknown = Reflect.get(handle, 'writeQueueSize');
    const written: unknown = Reflect.get(handle, 'bytesWritten'); // counts what waits, too
    if (typeof waiting === 'number' && typeof written === 'number') return { waiting, taken: written - waiting };
  }
  const waiting = socket.writableLength;
  return { waiting, taken: socket.bytesWritten - waiting };
}

/**
 * Closes connections whose client has read nothing of a waiting reply for `stalledMs`, with or without TLS. Returns the
 * timer.
 *
 * @param connections sockets of the `connection` event, not those of TLS
 */
export function closeStalled(connections: ReadonlySet<Socket>, stalledMs: number): NodeJS.Timeout {
  const seen = new WeakMap<Socket, { readonly taken: number; readonly at: number }>();
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const socket of connections) {
      const { waiting, taken } = progressOf(socket);
      const before = seen.get(socket);
      if (waiting === 0 || before?.taken !== taken) seen.set(socket, { taken, at: now });
      else if (now - before.at >= stalledMs) socket.destroy();
    }
  }, stalledMs / 4);
  return sweep.unref();
}
