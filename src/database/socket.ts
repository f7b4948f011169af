import { Socket } from 'node:net';

import type { DatabaseAddress } from './address.js';
import { DatabaseUnavailableError } from './failures.js';
import { findPrimary, findStandby } from './primary.js';

/** The parsed options that the driver passes to its `socket` option; only these are used. */
interface Address {
  readonly path?: string | false | null;
  readonly host: readonly string[];
  readonly port: readonly number[];
}

/**
 * The driver's options for an address with several hosts: each connection goes to the primary. None for a single host.
 *
 * @param timeoutMs limit of the search for the primary, and of the connection
 */
export function primarySocket(
  address: DatabaseAddress,
  timeoutMs = 5000,
): { socket?: (options: unknown) => Promise<Socket> } {
  if (address.hosts.length === 1) return {};
  return { socket: (options) => connectSocket(options, timeoutMs, () => undefined, address) };
}

/**
 * Opens the TCP or Unix connection for the driver, instead of the driver's connect, which has two defects: its connect
 * timeout applies once per waiting statement for a server that never answers, and it reconnects endlessly to a proxy
 * that closes connections because its server is down.
 *
 * @param onFailure called when no connection was opened, or the server never sent anything.
 * @param database with several hosts: the connection goes to the primary
 * @param readsStandby with several hosts: the connection goes to a standby if one answers
 */
export async function connectSocket(
  address: unknown,
  timeoutMs: number,
  onFailure: () => void,
  database?: DatabaseAddress,
  readsStandby = false,
): Promise<Socket> {
  const socket = new Socket();
  let target: { path: string } | { host: string; port: number };
  try {
    target = await targetOf(address, timeoutMs, database, readsStandby);
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

async function targetOf(
  address: unknown,
  timeoutMs: number,
  database: DatabaseAddress | undefined,
  readsStandby: boolean,
): Promise<{ path: string } | { host: string; port: number }> {
  if (database !== undefined && database.hosts.length > 1) {
    const { host, port } = await (readsStandby ? findStandby : findPrimary)(database, timeoutMs);
    return { host, port };
  }
  const { path, host, port } = parseAddress(address);
  return path ? { path } : { host: host[0] ?? 'localhost', port: port[0] ?? 5432 };
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
