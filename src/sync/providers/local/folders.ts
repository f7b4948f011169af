/** The folders of the server that organizations may read: those below the root that the operator has opened to them. */
import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { matchesPattern } from '../../batch.js';
import { SyncError } from '../../failures.js';
import { isPattern, refusedPart } from '../selections.js';

/**
 * The directories that a path or pattern matches below the root that the operator has opened to the organization.
 * Links are resolved first, so that none leads outside.
 */
export async function foldersFor(selected: string, root: string | null): Promise<{ name: string; path: string }[]> {
  if (root === null) {
    const setting = 'SYNC_LOCAL_ROOT, SYNC_LOCAL_ORGANIZATIONS';
    throw refusedPart(
      selected,
      `is on the server, which does not share a directory with this organization (${setting})`,
    );
  }
  const top = await realpath(root).catch(() => {
    throw new SyncError('repository_unreadable', 'The directory of SYNC_LOCAL_ROOT does not exist.');
  });
  const wanted = isAbsolute(selected) ? relative(top, resolve(selected)) : selected;
  const segments = wanted.split(/[/\\]/).filter((each) => each !== '' && each !== '.');
  // Otherwise a pattern that leaves the root and returns would reveal which directories exist outside.
  if (segments.includes('..')) throw refusedPart(selected, 'is not a directory below SYNC_LOCAL_ROOT');
  const found: { name: string; path: string }[] = [];
  for (const name of await expand(top, segments)) {
    const path = await realpath(join(top, name)).catch(() => null);
    if (path !== null && (path === top || path.startsWith(top + sep)))
      found.push({ name: name === '' ? '.' : name, path });
  }
  if (found.length === 0) throw refusedPart(selected, 'is not a directory below SYNC_LOCAL_ROOT');
  return found;
}

/** The relative paths that match segments with patterns. */
async function expand(top: string, segments: readonly string[]): Promise<string[]> {
  let paths = [''];
  for (const segment of segments) {
    if (!isPattern(segment)) {
      paths = paths.map((path) => join(path, segment));
      continue;
    }
    const lists = await Promise.all(
      paths.map(async (path) => {
        const entries = await readdir(join(top, path), { withFileTypes: true }).catch(() => []);
        const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
        return names.filter(({ name }) => matchesPattern(segment, name)).map(({ name }) => join(path, name));
      }),
    );
    paths = lists.flat().sort();
  }
  return paths;
}

/** Maximum depth of repositories below the root, and maximum number of folders to search. */
const mostLevels = 3;
const mostFolders = 5000;

/**
 * The git repositories below the folder that the operator has opened, as a sync configuration names them. Does not
 * follow links, skips hidden folders, and reads names only.
 *
 * @param root null: no folder is open
 */
export async function repositoriesBelow(root: string | null): Promise<readonly string[]> {
  if (root === null) return [];
  const top = await realpath(root).catch(() => null);
  if (top === null) return [];
  const found: string[] = [];
  let folders = [''];
  let looked = 0;
  for (let level = 0; level <= mostLevels; level += 1) {
    const below: string[] = [];
    for (const folder of folders) {
      looked += 1;
      if (looked > mostFolders) return found.sort();
      const entries = await readdir(join(top, folder), { withFileTypes: true }).catch(() => []);
      if (isRepository(entries)) found.push(folder === '' ? '.' : folder);
      else below.push(...foldersIn(entries).map((name) => (folder === '' ? name : `${folder}/${name}`)));
    }
    folders = below;
  }
  return found.sort();
}

/** A work tree, or a bare repository. */
function isRepository(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name));
  return names.has('.git') || ['HEAD', 'objects', 'refs'].every((name) => names.has(name));
}

function foldersIn(entries: readonly Dirent[]): string[] {
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
}
