import { chmod, link, lstat, mkdtemp, rm } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { withFileLock } from './system/file-lock.js';
import { errorCode } from './system/error-code.js';

/** The size of `sockaddr_un` on Linux without the final zero byte; the system truncates longer paths. */
const longestPathBytes = 107;

/** No socket can be created at the path. */
export class SocketPathError extends Error {
  override readonly name = 'SocketPathError';
  /** The matching system error code. */
  readonly code: 'EADDRINUSE' | 'EEXIST' | 'ENAMETOOLONG';

  constructor(code: SocketPathError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Listens on a Unix socket that only its owner can access. The socket is bound in a folder that other users cannot
 * enter. It gets its mode there, and then its name. So other users can never connect. The name of a server that still
 * answers is not replaced. The socket of a server that has ended is replaced.
 *
 * @param path absolute, in a folder that exists
 * @returns removes the name again, unless it belongs to another server by now
 * @throws SocketPathError when a server answers at the path, another file exists there, or the path is too long
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

/** Links the socket to its name. A name that exists is removed if no server answers there. */
async function claimName(bound: string, path: string): Promise<void> {
  for (;;) {
    try {
      await link(bound, path);
      return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      // Locked: between check and removal another server could take the name.
      await withFileLock(path, () => removeDeadSocket(path));
    }
  }
}

async function removeDeadSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(absent);
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw new SocketPathError('EEXIST', `'${path}' exists and is not a socket; it was not changed.`);
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
      const code = errorCode(error);
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve(false);
      // The queue of the socket is full, or it belongs to another user: in both cases a server listens.
      else if (code === 'EAGAIN' || code === 'EACCES' || code === 'EPERM') resolve(true);
      else reject(error);
    });
  });
}

function absent(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}
