/** Opens TCP and Unix connections to PostgreSQL, instead of the driver's own connect. */
import { Socket } from 'node:net';
import { DatabaseUnavailableError } from './failures.js';

export type SocketTarget = { readonly path: string } | { readonly host: string; readonly port: number };

/** The parsed options that the driver passes to its `socket` option; only these are used. */
interface ParsedAddress {
  readonly path?: string | false | null;
  readonly host: readonly string[];
  readonly port: readonly number[];
}

/**
 * Opens a connection.
 *
 * @throws DatabaseUnavailableError at the time limit; otherwise the system's error, such as ECONNREFUSED
 */
export async function openSocket(target: SocketTarget, timeoutMs: number): Promise<Socket> {
  const socket = new Socket();
  try {
    await connected(socket, target, timeoutMs);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  // The driver reads these for TLS: the host name for certificate verification.
  return Object.assign(socket, target);
}

/** @param address the options that the driver passes to its `socket` option */
export function parsedTarget(address: unknown): SocketTarget {
  const { path, host, port } = parsedAddress(address);
  return path ? { path } : { host: host[0] ?? 'localhost', port: port[0] ?? 5432 };
}

function connected(socket: Socket, target: SocketTarget, timeoutMs: number): Promise<void> {
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

function parsedAddress(address: unknown): ParsedAddress {
  if (typeof address === 'object' && address !== null && 'host' in address && 'port' in address) {
    const { host, port } = address;
    if (Array.isArray(host) && Array.isArray(port)) return address as ParsedAddress; // the driver's own parsed options
  }
  throw new Error('The postgres driver did not pass its options to the socket function');
}
