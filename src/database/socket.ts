import { Socket } from 'node:net';

import { DatabaseUnavailableError } from './failures.js';

/** What the driver hands to its `socket` option: its parsed options, of which these are read. */
interface Address {
  readonly path?: string | false | null;
  readonly host: readonly string[];
  readonly port: readonly number[];
}

/**
 * Makes the TCP or Unix connection for the driver, closing two holes of its own way of connecting: a server that
 * never answers, which its connect timeout covers once per waiting statement, and a proxy that accepts and closes
 * again because the server behind it is down, on which it would connect again and again without an end.
 *
 * @param onFailure Called when no connection was made, or the server never said a word on it.
 */
export async function connectSocket(address: unknown, timeoutMs: number, onFailure: () => void): Promise<Socket> {
  const { path, host, port } = parseAddress(address);
  const socket = new Socket();
  const target = path ? { path } : { host: host[0] ?? 'localhost', port: port[0] ?? 5432 };
  try {
    await connected(socket, target, timeoutMs);
  } catch (error) {
    socket.destroy();
    onFailure();
    throw error;
  }
  socket.once('end', () => {
    if (socket.bytesRead > 0) return;
    socket.destroy(new DatabaseUnavailableError('CONNECTION_CLOSED', 'The server closed the connection unanswered'));
  });
  socket.once('close', () => {
    if (socket.bytesRead === 0) onFailure();
  });
  // The driver reads these for TLS: the name to verify the certificate against.
  return Object.assign(socket, target);
}

function connected(
  socket: Socket,
  target: { path: string } | { host: string; port: number },
  timeoutMs: number,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      const milliseconds = `${timeoutMs} ms`;
      reject(new DatabaseUnavailableError('CONNECT_TIMEOUT', `No connection to the database within ${milliseconds}`));
    }, timeoutMs);
    const settle = (action: () => void): void => {
      clearTimeout(timer);
      socket.removeAllListeners();
      action();
    };
    socket.once('error', (error) => {
      settle(() => {
        reject(error);
      });
    });
    socket.connect(target, () => {
      settle(resolve);
    });
  });
}

function parseAddress(address: unknown): Address {
  if (typeof address === 'object' && address !== null && 'host' in address && 'port' in address) {
    const { host, port } = address;
    if (Array.isArray(host) && Array.isArray(port)) return address as Address; // the driver's own parsed options
  }
  throw new Error('The postgres driver did not pass its options to the socket function');
}
