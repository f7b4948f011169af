import type { IncomingMessage } from 'node:http';

/** The time during which the rest of a body is read and discarded. */
const lingerMs = 5_000;

/**
 * Closes the connection of a request with an unread body after the client has sent the body, or after five seconds.
 * Until then only the server's half is closed, after the reply. If both halves were closed immediately, the kernel
 * would reset the connection while the client, often a proxy, is still writing. The client would lose the reply, and a
 * proxy would report 502 (RFC 9112, section 9.6).
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
    request.once('end', () => {
      if (socket.writableFinished) destroy();
      else socket.once('finish', destroy); // the reply is still being sent
    });
    request.resume();
    socket.end();
  };
}
