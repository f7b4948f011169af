/**
 * Closes connections to a host that has become silent: it is dead, its packets are dropped, or it is frozen. TCP would
 * report this after up to 15 minutes, or never, and the driver waits as long.
 *
 * A statement may take long on a healthy host. So a host that has sent nothing for a while is asked over a new
 * connection. If that is not answered, all connections that are still silent are closed: the statements on them fail as
 * unavailable, and the next ones open new connections, perhaps to another host.
 */
import type { Socket } from 'node:net';

/** A host is asked when it has sent nothing for this time, although something was sent to it. */
const QUIET_MS = 5000;
/** A host that has answered is asked again after this time, if it still sends nothing. */
const ASK_AGAIN_MS = 60_000;
/** How often the connections are examined. */
const LOOK_MS = 1000;

interface WatchedHost {
  /** The open connections, and the number of bytes that each had read when it was examined last. */
  readonly sockets: Map<Socket, number>;
  readonly ask: () => Promise<boolean>;
  isAsked: boolean;
  /** When the host last sent something, and when it last answered; from `performance.now()`. */
  heardAt: number;
  answeredAt: number;
  /** The number of bytes sent to the host when it answered. */
  writtenAtAnswer: number;
}

const hosts = new Map<string, WatchedHost>();
let timer: NodeJS.Timeout | undefined;

/**
 * Watches a connection until it closes.
 *
 * @param host a name for the host, the same for all of its connections
 * @param ask resolves to whether the host answers over a new connection, within a few seconds
 */
export function watchSocket(socket: Socket, host: string, ask: () => Promise<boolean>): void {
  const now = performance.now();
  let watched = hosts.get(host);
  if (watched === undefined) {
    watched = { sockets: new Map(), ask, isAsked: false, heardAt: now, answeredAt: now, writtenAtAnswer: -1 };
    hosts.set(host, watched);
  }
  watched.sockets.set(socket, socket.bytesRead);
  timer ??= setInterval(look, LOOK_MS).unref();
}

function look(): void {
  const now = performance.now();
  for (const [name, host] of hosts) {
    examine(host, now);
    if (host.sockets.size === 0) hosts.delete(name);
    else if (isSuspect(host, now)) void ask(host);
  }
  if (hosts.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

/** Forgets closed connections, and notes whether the others have read something. */
function examine(host: WatchedHost, now: number): void {
  for (const [socket, read] of host.sockets) {
    // The driver removes all listeners for TLS, so the end of a connection is not observed by one.
    if (socket.destroyed) host.sockets.delete(socket);
    else if (socket.bytesRead !== read) {
      host.sockets.set(socket, socket.bytesRead);
      host.heardAt = now;
    }
  }
}

function isSuspect(host: WatchedHost, now: number): boolean {
  if (host.isAsked || now - host.heardAt < QUIET_MS) return false;
  return written(host) !== host.writtenAtAnswer || now - host.answeredAt >= ASK_AGAIN_MS;
}

function written({ sockets }: WatchedHost): number {
  let bytes = 0;
  for (const socket of sockets.keys()) bytes += socket.bytesWritten;
  return bytes;
}

async function ask(host: WatchedHost): Promise<void> {
  host.isAsked = true;
  const before = new Map(host.sockets);
  const writtenBefore = written(host);
  const isAnswered = await host.ask();
  host.isAsked = false;
  if (isAnswered) {
    host.answeredAt = performance.now();
    host.writtenAtAnswer = writtenBefore;
    return;
  }
  for (const [socket, read] of before) {
    if (socket.bytesRead === read) {
      // Without an error, so that the driver sees the end of its connection in one step, with TLS, too. It would write to
      // a closed socket between two.
      socket.destroy();
    }
  }
}
