import { Socket } from 'node:net';

import { DatabaseUnavailableError } from './failures.js';

/** The parsed options that the driver passes to its `socket` option; only these are used. */
interface Address {
  readonly path?: string | false | null;
  readonly host: readonly string[];
  readonly port: readonly number[];
}

/**
 * Opens the TCP or Unix connection for the driver, instead of the driver's connect, which has two defects: its connect
 * timeout applies once per waiting statement for a server that never answers, and it reconnects endlessly to a proxy
 * that closes connections because its server is down.
 *
 * @param onFailure called when no connection was opened, or the server never sent anything.
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
    socket.destroy(
      new DatabaseUnavailableError('CONNECTION_CLOSED', 'The server closed the connection without an answer'),
    );
  });
  socket.once('close', () => {
    if (socket.bytesRead === 0) onFailure();
  });
  // The driver reads these for TLS: the host name for certificate verification.
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
