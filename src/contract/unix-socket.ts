import { chmod, link, lstat, mkdtemp, rm } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { inTurn } from './in-turn.js';

/** What `sockaddr_un` holds on Linux, less the zero byte at the end; a longer path would be cut. */
const longestPathBytes = 107;

/** A path at which no socket can be had. */
export class SocketPathError extends Error {
  override readonly name = 'SocketPathError';
  /** As the system would put it. */
  readonly code: 'EADDRINUSE' | 'EEXIST' | 'ENAMETOOLONG';

  constructor(code: SocketPathError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Listens on a Unix socket that its owner alone may use. The socket is bound in a folder that nobody else can enter,
 * gets its mode there, and only then its name: at no moment can others connect, and a name is never taken from a
 * server that still answers. What a server left behind that has ended is replaced.
 *
 * @param path absolute, in a folder that exists
 * @returns removes the name again, unless another server has it by now
 * @throws SocketPathError when a server answers there, something else is there, or the path is too long
 */
export async function listenOnSocket(server: Server, path: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(dirname(path), '.s'));
  try {
    const bound = join(folder, 's');
    requireRoom(path, bound);
    await bind(server, bound);
    await chmod(bound, 0o600);
    await claimName(bound, path);
    const { dev, ino } = await lstat(bound);
    return async () => {
      const now = await lstat(path).catch(absent);
      if (now?.dev === dev && now.ino === ino) await rm(path, { force: true });
    };
  } catch (error) {
    server.close();
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function requireRoom(path: string, bound: string): void {
  const bytes = Math.max(Buffer.byteLength(path), Buffer.byteLength(bound));
  if (bytes <= longestPathBytes) return;
  const message = `The socket's path '${path}' is too long for this system; choose a shorter folder.`;
  throw new SocketPathError('ENAMETOOLONG', message);
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Gives the socket its name; a name that is there already is looked at, and freed if nobody answers to it. */
async function claimName(bound: string, path: string): Promise<void> {
  for (;;) {
    try {
      await link(bound, path);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      // In turn, since between the look and the removal another server could have taken the name.
      await inTurn(path, () => removeDeadSocket(path));
    }
  }
}

async function removeDeadSocket(path: string): Promise<void> {
  const there = await lstat(path).catch(absent);
  if (there === undefined) return;
  if (!there.isSocket()) {
    throw new SocketPathError('EEXIST', `'${path}' exists and is no socket; it is left as it is.`);
  }
  if (await answers(path)) throw taken(path);
  await rm(path, { force: true });
}

function taken(path: string): SocketPathError {
  const message = `A server already listens on '${path}'. Stop it, or choose another path than ${basename(path)}.`;
  return new SocketPathError('EADDRINUSE', message);
}

async function answers(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      const code = codeOf(error);
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve(false);
      // Its queue is full, or it belongs to another user: in both cases somebody is there.
      else if (code === 'EAGAIN' || code === 'EACCES' || code === 'EPERM') resolve(true);
      else reject(error);
    });
  });
}

function absent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
