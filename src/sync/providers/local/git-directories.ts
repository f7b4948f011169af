/**
 * Finds a repository as git does (gitrepository-layout), without running git: git would first read the settings of the
 * repository, and the files that they include.
 */
import { lstat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { inside, isBelow, readInside, refused } from './enclosed-files.js';

export interface GitDirectories {
  /** The folder in which git finds the repository. Resolved. */
  readonly top: string;
  /** The directory with HEAD; for a linked worktree, its folder below `worktrees`. Resolved. */
  readonly own: string;
  /** The directory with objects, refs and settings; a linked worktree shares it. Resolved. */
  readonly common: string;
}

/**
 * The repository at `path` or in the nearest folder above it, up to the root.
 *
 * @param root absolute, without symbolic links
 * @throws SyncError (`repository_unreadable`) if there is none, or if it leads out of the root
 */
export async function findGitDirectories(path: string, root: string): Promise<GitDirectories> {
  const start = await inside(path, root, 'the directory');
  for (let folder = start; isBelow(folder, root); folder = dirname(folder)) {
    const own = await gitDirectoryAt(folder, root);
    if (own !== undefined) return checked({ top: folder, own, common: await commonDirectory(own, root) }, root);
    if (folder === dirname(folder)) break;
  }
  throw refused('it is not a git repository');
}

/** Rejects an invalid repository. Git would skip it and use the next one above. */
async function checked(directories: GitDirectories, root: string): Promise<GitDirectories> {
  const head = (await readInside(join(directories.own, 'HEAD'), root, 'HEAD')) ?? '';
  if (!/^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(head)) throw refused('it is not a git repository');
  for (const name of ['objects', 'refs']) await inside(join(directories.common, name), root, `the directory ${name}`);
  return directories;
}

async function gitDirectoryAt(folder: string, root: string): Promise<string | undefined> {
  const dotGit = join(folder, '.git');
  const hasDotGit = await exists(dotGit);
  const isBare = (await exists(join(folder, 'HEAD'))) && (await looksBare(folder));
  // Git would choose one of them, depending on details of both.
  if (hasDotGit && isBare) throw refused('it is a bare repository that contains another repository');
  if (!hasDotGit) return isBare ? folder : undefined;
  const real = await inside(dotGit, root, 'the .git directory');
  if ((await lstat(real)).isDirectory()) return real;
  const text = (await readInside(real, root, 'the .git file')) ?? '';
  const target = /^gitdir: ([^\r\n\0]+)[\r\n]*$/.exec(text)?.[1];
  if (target === undefined) throw refused('its .git file is invalid');
  return directory(folder, target, root, 'the .git file');
}

async function looksBare(folder: string): Promise<boolean> {
  if (await exists(join(folder, 'commondir'))) return true;
  return (await exists(join(folder, 'objects'))) && (await exists(join(folder, 'refs')));
}

async function commonDirectory(own: string, root: string): Promise<string> {
  const text = await readInside(join(own, 'commondir'), root, 'the commondir file');
  if (text === undefined) return own;
  const target = /^([^\r\n\0]+)[\r\n]*$/.exec(text)?.[1];
  if (target === undefined) throw refused('its commondir file is invalid');
  return directory(own, target, root, 'the common directory');
}

async function directory(from: string, target: string, root: string, what: string): Promise<string> {
  const real = await inside(isAbsolute(target) ? target : resolve(from, target), root, what);
  if (!(await lstat(real)).isDirectory()) throw refused(`${what} names no directory`);
  return real;
}

/** Also true for a dangling link, because git checks for the name first. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
