import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dirent } from 'node:fs';

/** Maximum depth of repositories below the root, and maximum number of folders to search. */
const mostLevels = 3;
const mostFolders = 5000;

/**
 * The git repositories below the folder that the operator has opened, as a sync configuration names them. Does not
 * follow links, skips hidden folders, and reads names only.
 *
 * @param root null: no folder is open
 */
export async function localRepositories(root: string | null): Promise<readonly string[]> {
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
