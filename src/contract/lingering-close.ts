import type { IncomingMessage } from 'node:http';

/** How long the rest of a body is read and dropped. */
const lingerMs = 5_000;

/**
 * Closes the connection of a request whose body is not used only when the client has sent it, or after five seconds.
 * Until then only our half is closed, after the reply. Closing both at once would make the kernel reset the connection
 * while the client, often a proxy, still writes: it would lose the reply and report 502 (RFC 9112, section 9.6).
 */
export function closeLingering(request: IncomingMessage): void {
  const { socket } = request;
  // Node calls this after a reply with `Connection: close`.
  socket.destroySoon = () => {
    const destroy = (): void => {
      socket.destroy();
    };
    const timer = setTimeout(destroy, lingerMs);
    socket.once('close', () => {
      clearTimeout(timer);
    });
    request.once('end', destroy);
    request.resume();
    socket.end();
  };
}
