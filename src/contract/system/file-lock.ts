import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './is-alive.js';
import { pidNamespace } from './pid-namespace.js';
import { processStart } from './process-start.js';

/** Gives up after this many attempts. */
const maxAttempts = 200;

/**
 * A lock file of a process that cannot be seen from here, such as one of another container, expires after this time.
 * Locks are held for milliseconds.
 */
const unseenMs = 60_000;

const firstPauseMs = 40;

/** How contenders wait between two attempts. */
export interface LockPauses {
  /** In milliseconds. Default: 200, which gives up after some 20 seconds. */
  readonly longestPauseMs?: number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** Another process holds the lock and does not release it. */
export class FileLockedError extends Error {
  override readonly name = 'FileLockedError';
  /** The lock file of the other process. */
  readonly lockFile: string;

  constructor(path: string, lockFile: string) {
    super(`Another process has locked '${path}'. If no such process is running, remove '${lockFile}'.`);
    this.lockFile = lockFile;
  }
}

/**
 * Runs `work` while holding a lock on a path, among the processes of this machine.
 *
 * Each contender creates a lock file of a unique name beside the path. It holds the lock if it then sees no other lock
 * file; of two contenders, the one that looks later sees both. A contender that does not get the lock removes its file
 * and retries after a pause. Lock files of processes that have ended are removed. A lock file contains the PID
 * namespace and the start time of its process, because process ids are reused in other containers and after a restart.
 * Names are unique, so that the lock file of a running process is never removed by mistake.
 *
 * `proper-lockfile` (4.1.2, the last release, of 2021) was considered. It detects a dead holder by the age of the lock,
 * so that a killed process blocks others for seconds, and a process that is suspended for longer loses its lock.
 *
 * @param path in a folder that exists
 * @throws FileLockedError after 200 attempts
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  { longestPauseMs = 200, sleep = delay }: LockPauses = {},
): Promise<T> {
  const folder = dirname(path);
  const prefix = `.${basename(path)}.lock-`;
  let other: string | undefined;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const own = `${prefix}${process.pid}-${randomUUID()}`;
    try {
      await writeFile(join(folder, own), thisProcess(), { flag: 'wx', mode: 0o600 });
      other = await otherLock(folder, prefix, own);
      if (other === undefined) return await work();
    } finally {
      await rm(join(folder, own), { force: true });
    }
    // Random and longer each time, so that contenders spread out, however long one attempt takes on a busy machine.
    await sleep(Math.random() * Math.min(longestPauseMs, firstPauseMs * (attempt + 1)));
  }
  throw new FileLockedError(path, join(folder, other ?? ''));
}

/** Finds the lock file of another process, and removes those of processes that have ended. */
async function otherLock(folder: string, prefix: string, own: string): Promise<string | undefined> {
  let other: string | undefined;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || name === own) continue;
    const pid = /^\d+(?=-)/.exec(name.slice(prefix.length))?.[0];
    // A name without a pid is not a lock file of this function, so it is not removed.
    if (pid === undefined || (await isHeld(join(folder, name), Number(pid)))) other = name;
    else await rm(join(folder, name), { force: true });
  }
  return other;
}

/** Two lines: the namespace of this process's id, and its start; a line is empty if the value is unknown. */
function thisProcess(): string {
  return `${pidNamespace() ?? ''}\n${processStart(process.pid) ?? ''}`;
}

async function isHeld(file: string, pid: number): Promise<boolean> {
  const written = await readFile(file, 'utf8').catch(() => null);
  if (written === null) return false; // it has just been removed
  const [namespace = '', start = ''] = written.split('\n');
  if (namespace !== '' && namespace !== pidNamespace()) {
    const changed = await stat(file).catch(() => null);
    return changed !== null && Date.now() - changed.mtimeMs < unseenMs;
  }
  // The start is missing while the other process still writes the file.
  return isAlive(pid) && (start === '' || start === processStart(pid));
}
