import type { Socket } from 'node:net';

import type { DatabaseAddress } from './address.js';
import { DatabaseUnavailableError } from './failures.js';
import { answers, findPrimary, findStandby } from './primary.js';
import { openSocket, parsedTarget, type SocketTarget } from './open-socket.js';
import { watchSocket } from './silent-hosts.js';

/** The time limit for a silent host to answer over a new connection. */
const ANSWER_MS = 3000;

export interface SocketOptions {
  /** The limit of the search for the primary, and of the connection. Default 5000 ms. */
  readonly timeoutMs?: number;
  /** Called when no connection was opened, or the server never sent anything. */
  readonly onFailure?: () => void;
  /** Called with each connection that was opened. */
  readonly onOpen?: (socket: Socket) => void;
  /** With several hosts: the connection goes to a standby if one answers, instead of the primary. */
  readonly readsStandby?: boolean;
}

/**
 * The driver's options for the connections of an address: with several hosts, each goes to the primary. A connection is
 * closed when its host becomes silent.
 *
 * The driver's own connect has two more defects: its connect timeout applies once per waiting statement for a server
 * that never answers, and it reconnects endlessly to a proxy that closes connections because its server is down.
 */
export function databaseSocket(
  address: DatabaseAddress,
  options: SocketOptions = {},
): { readonly socket: (parsed: unknown) => Promise<Socket> } {
  return { socket: (parsed) => connectSocket(parsed, address, options) };
}

async function connectSocket(parsed: unknown, address: DatabaseAddress, options: SocketOptions): Promise<Socket> {
  const { timeoutMs = 5000, onFailure = () => undefined, onOpen, readsStandby = false } = options;
  let socket: Socket;
  try {
    const { uri, target } = await targetOf(parsed, timeoutMs, address, readsStandby);
    socket = await openSocket(target, timeoutMs);
    watchSocket(socket, uri, () => answers(uri, ANSWER_MS));
  } catch (error) {
    onFailure();
    throw error;
  }
  onOpen?.(socket);
  socket.once('end', () => {
    if (socket.bytesRead > 0) return;
    socket.destroy(
      new DatabaseUnavailableError('CONNECTION_CLOSED', 'The server closed the connection without an answer'),
    );
  });
  socket.once('close', () => {
    if (socket.bytesRead === 0) onFailure();
  });
  return socket;
}

async function targetOf(
  parsed: unknown,
  timeoutMs: number,
  address: DatabaseAddress,
  readsStandby: boolean,
): Promise<{ readonly uri: string; readonly target: SocketTarget }> {
  if (address.hosts.length === 1) return { uri: address.uri, target: parsedTarget(parsed) };
  const { uri, host, port } = await (readsStandby ? findStandby : findPrimary)(address, timeoutMs);
  return { uri, target: { host, port } };
}
