/**
 * Keeps the git program inside a folder. Otherwise a user with write access below SYNC_LOCAL_ROOT could let a repository
 * refer to objects, refs or settings outside of it, and read them as commits of an organization.
 */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { SyncError } from '../../failures.js';
import type { Git } from './git.js';
import { runGit } from './git.js';

/** How many repositories may borrow objects from each other in a row; git itself follows five. */
const ALTERNATES_DEPTH = 5;

/** Settings of a repository that name files or directories which git reads. */
const PATH_SETTINGS = /^(?:core\.(?:worktree|attributesfile|excludesfile)|mailmap\.file|blame\.ignorerevsfile)$/;
const INCLUDES = /^include(?:if\..*)?\.path$/s;

/**
 * Settings and variables for git in an enclosed repository: no search for a repository above the root, no objects
 * fetched from a promisor remote, no transport at all, and no objects that stand in for others.
 */
export function enclosedEnvironment(root: string): Record<string, string> {
  return {
    GIT_CEILING_DIRECTORIES: dirname(root),
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

/**
 * Checks that everything which git would follow in the repository at `git.path` lies below `root`: the `.git` file or
 * link, the common directory of a worktree, borrowed objects, symbolic links among objects and refs, and the paths in
 * its settings. The check runs before anything is read; it does not detect changes during the sync.
 *
 * @param root absolute, without symbolic links
 * @throws SyncError (`repository_unreadable`) naming what leads out
 */
export async function assertEnclosed(git: Git, root: string): Promise<void> {
  await inside(git.path, root, 'the directory');
  const answer = (await runGit(git, ['rev-parse', '--absolute-git-dir', '--git-common-dir'])).toString('utf8');
  const [own = '', common = ''] = answer.split('\n');
  const commonDirectory = isAbsolute(common) ? common : resolve(git.path, common);
  const directories = new Set([
    await inside(own, root, 'the .git directory'),
    await inside(commonDirectory, root, 'the common directory'),
  ]);
  for (const directory of directories) {
    await assertNoLinkOut(directory, root);
    for (const file of ['config', 'config.worktree']) await assertSettings(git, directory, file, root);
  }
  // Git resolves relative alternates from the directory that `objects` really is.
  const objects = await inside(join(commonDirectory, 'objects'), root, 'the object directory');
  await assertAlternates(objects, root, ALTERNATES_DEPTH);
}

/** @returns the path without symbolic links */
async function inside(path: string, root: string, what: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real === null) throw refused(`${what} is missing`);
  if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) throw leadsOut(what);
  return real;
}

async function assertNoLinkOut(directory: string, root: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isSymbolicLink()) {
      const target = await inside(path, root, `the symbolic link ${entry.name}`);
      // A link within the repository is walked at its target; another one leads to files that were not checked.
      if (!target.startsWith(directory + sep) && (await isDirectory(target))) await assertNoLinkOut(target, root);
    } else if (entry.isDirectory()) await assertNoLinkOut(path, root);
  }
}

async function assertAlternates(objects: string, root: string, depth: number): Promise<void> {
  const text = await readFile(join(objects, 'info', 'alternates'), 'utf8').catch(() => '');
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    // Git unquotes such a line; nothing that clones writes it so.
    if (line.startsWith('"') || depth === 0) throw refused('its list of borrowed objects cannot be checked');
    const borrowed = await inside(
      isAbsolute(line) ? line : resolve(objects, line),
      root,
      'the list of borrowed objects',
    );
    await assertNoLinkOut(borrowed, root);
    await assertAlternates(borrowed, root, depth - 1);
  }
}

async function assertSettings(git: Git, directory: string, file: string, root: string): Promise<void> {
  const path = join(directory, file);
  if ((await readFile(path).catch(() => null)) === null) return;
  const listed = await runGit(git, ['config', '--file', path, '--no-includes', '--null', '--list']);
  for (const entry of listed.toString('utf8').split('\0')) {
    const end = entry.indexOf('\n');
    if (end === -1) continue;
    const name = entry.slice(0, end);
    const value = entry.slice(end + 1);
    if (INCLUDES.test(name)) throw refused(`its setting ${name} includes another file`);
    if (!PATH_SETTINGS.test(name) || value === '') continue;
    // Git resolves some of them from the work tree, some from the .git directory.
    if (value.startsWith('~') || value.split('/').includes('..')) throw leadsOut(`the setting ${name}`);
    await inside(isAbsolute(value) ? value : resolve(directory, value), root, `the setting ${name}`);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return readdir(path).then(
    () => true,
    () => false,
  );
}

function leadsOut(what: string): SyncError {
  return refused(`${what} leads out of SYNC_LOCAL_ROOT`);
}

function refused(why: string): SyncError {
  return new SyncError('repository_unreadable', `The repository is not read: ${why}.`);
}
