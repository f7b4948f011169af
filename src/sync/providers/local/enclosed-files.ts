/** Reads files and folders of an untrusted repository, which must not lead out of a root. */
import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { SyncError } from '../../failures.js';
import { readRegularFile, UnreadableFileError } from '@plumbline/contract/system/regular-file';

/** Larger than any `.git` file, `commondir`, alternates file or settings file that git writes. */
const LARGEST_FILE = 1024 * 1024;

/**
 * Resolves the links of a path. Paths that lead out and missing paths get the same message; otherwise a link would
 * reveal which files exist outside.
 *
 * @param root absolute, without symbolic links
 * @returns the path without symbolic links
 * @throws SyncError (`repository_unreadable`)
 */
export async function inside(path: string, root: string, what: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real === null || !isBelow(real, root)) throw leadsOut(what);
  return real;
}

export function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/**
 * The text of a small file; undefined if it does not exist. Links are resolved and checked before it is opened.
 *
 * @throws SyncError (`repository_unreadable`) for a file outside the root, and for a file that is too large or not
 * regular
 */
export async function readInside(path: string, root: string, what: string): Promise<string | undefined> {
  const real = await realpath(path).catch(() => null);
  if (real === null) return undefined;
  if (!isBelow(real, root)) throw leadsOut(what);
  try {
    return (await readRegularFile(real, LARGEST_FILE)).toString('utf8');
  } catch (error) {
    if (error instanceof UnreadableFileError) throw refused(`${what} ${error.reason}`);
    throw error;
  }
}

/**
 * Walks a directory and the targets of its links; all of them must be below the root. Rejects FIFOs and devices,
 * because git would block when opening them.
 *
 * @param seen directories that were already walked, because links may form cycles
 */
export async function assertNothingLeadsOut(directory: string, root: string, seen: Set<string>): Promise<void> {
  const pending = [directory];
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    if (seen.has(current)) continue;
    seen.add(current);
    for (const entry of await readdir(current, { withFileTypes: true })) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isSymbolicLink()) {
        const target = await inside(path, root, `the symbolic link ${entry.name}`);
        const found = await lstat(target);
        if (found.isDirectory()) pending.push(target);
        else assertOpensAtOnce(found, entry.name);
      } else assertOpensAtOnce(entry, entry.name);
    }
  }
}

/** A socket cannot be opened as a file, so it is harmless. Git's file system monitor creates one. */
function assertOpensAtOnce(entry: Pick<Dirent, 'isFIFO' | 'isCharacterDevice' | 'isBlockDevice'>, name: string): void {
  if (!entry.isFIFO() && !entry.isCharacterDevice() && !entry.isBlockDevice()) return;
  throw refused(`${name} is not a regular file`);
}

export function leadsOut(what: string): SyncError {
  return refused(`${what} does not lead to a place below SYNC_LOCAL_ROOT`);
}

export function refused(why: string): SyncError {
  return new SyncError('repository_unreadable', `The repository is not read: ${why}.`);
}
