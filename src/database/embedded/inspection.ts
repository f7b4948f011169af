import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';

import { isAlive } from '@plumbline/contract/system/is-alive';

/** The state of the server of a data directory, from `postmaster.pid` and its process. */
export type Inspection =
  | { readonly running: true; readonly pid: number; readonly port: number; readonly ready: boolean }
  /** `stalePid` is a running process that a leftover lock file names, but that is not the server. */
  | { readonly running: false; readonly stalePid?: number };

/** Lines of postmaster.pid, from PostgreSQL's `src/include/utils/pidfile.h`, counted from 0. */
const LINE = { pid: 0, port: 3, status: 7 };

/** Reads the lock file of a data directory, and checks whether its process really is the server. */
export function inspectPostmaster(dataDirectory: string): Inspection {
  const lines = readLockFile(dataDirectory);
  const pid = Number.parseInt(lines[LINE.pid] ?? '', 10);
  if (!isAlive(pid)) return { running: false };
  if (!servesData(pid, dataDirectory)) return { running: false, stalePid: pid };
  const port = Number.parseInt(lines[LINE.port] ?? '', 10);
  return { running: true, pid, port, ready: lines[LINE.status]?.trim() === 'ready' };
}

function readLockFile(dataDirectory: string): string[] {
  try {
    return readFileSync(path.join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return []; // No lock file: there is no server, or it has just removed the file.
  }
}

/**
 * Whether the process is the server of this data.
 *
 * The working directory of a postmaster is its data directory from before it writes the lock file until it ends, and no
 * other program should use it. A zombie has no working directory, so it is not mistaken for a server.
 */
export function servesData(pid: number, dataDirectory: string): boolean {
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDirectory);
    } catch {
      return false; // Ended, a zombie, or another user's process: not this server.
    }
  }
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8' }).includes(dataDirectory);
  } catch {
    return true; // No `ps` here (Windows): trust the lock file, as PostgreSQL does.
  }
}
