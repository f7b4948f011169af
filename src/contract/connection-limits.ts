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
  const unanswered = new WeakMap<Socket, number>();
  return ({ socket }, response) => {
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (socket.destroyed || count > mostUnanswered) {
      socket.destroy();
      return false;
    }
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    return true;
  };
}

/** Closes connections whose client has read nothing of a waiting reply for `stalledMs`. Returns the timer. */
export function closeStalled(connections: ReadonlySet<Socket>, stalledMs: number): NodeJS.Timeout {
  const seen = new WeakMap<Socket, { readonly sent: number; readonly at: number }>();
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const socket of connections) {
      const sent = socket.bytesWritten - socket.writableLength; // `bytesWritten` includes bytes that are still buffered
      const before = seen.get(socket);
      if (socket.writableLength === 0 || before?.sent !== sent) seen.set(socket, { sent, at: now });
      else if (now - before.at >= stalledMs) socket.destroy();
    }
  }, stalledMs / 4);
  return sweep.unref();
}
