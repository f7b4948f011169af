import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Reads files of one version of the repository. */
export interface Files {
  /** The text of a file; null where there is none. `path` is relative to the root. */
  read(path: string): Promise<string | null>;
  /** The names of the files in a folder. */
  list(folder: string): Promise<readonly string[]>;
}

/** The version to compare with, and how it was found. */
export interface Base {
  readonly revision: string;
  /** For people: `tag v1.0.0`. */
  readonly origin: string;
}

/** There is nothing to compare with; the message says why and what to do. */
export class NoBase extends Error {
  override name = 'NoBase';
}

const run = promisify(execFile);

/**
 * Finds the last release: the highest tag `vX.Y.Z` of the current branch; without a tag, the commit that the changelog
 * names below the heading of its last release (`Release commit: <id>`).
 *
 * @throws NoBase when neither exists
 */
export async function lastRelease(root: string): Promise<Base> {
  const tags = await git(root, 'tag', '--list', 'v[0-9]*', '--merged', 'HEAD', '--sort=-version:refname');
  const tag = tags.split('\n').find((each) => /^v\d+\.\d+\.\d+$/.test(each));
  if (tag !== undefined) return { revision: tag, origin: `tag ${tag}` };
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  const named = /^## (\d+\.\d+\.\d+)\n\nRelease commit: ([0-9a-f]{40})$/m.exec(changelog);
  const [, version = '', commit = ''] = named ?? [];
  if (commit === '') throw new NoBase('There is no tag vX.Y.Z, and CHANGELOG.md names no release commit.');
  return {
    revision: commit,
    origin: `release ${version}, commit ${commit.slice(0, 7)} as named in CHANGELOG.md; no tag exists`,
  };
}

/**
 * The files of a commit, tag or branch.
 *
 * @throws NoBase when the repository does not have it
 */
export async function filesAt(root: string, revision: string): Promise<Files> {
  const commit = await git(root, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`).catch(
    () => {
      throw new NoBase(
        `This clone does not have the revision ${revision}. Fetch it: git fetch --tags origin ${revision}`,
      );
    },
  );
  const id = commit.trim();
  return {
    read: async (path) => git(root, 'show', `${id}:${path}`).catch(() => null),
    list: async (folder) => (await git(root, 'ls-tree', '--name-only', `${id}:${folder}`)).split('\n').filter(Boolean),
  };
}

/** The files of the working tree. */
export function workingTree(root: string): Files {
  return {
    read: async (path) => readFile(join(root, path), 'utf8').catch(() => null),
    list: async (folder) => readdir(join(root, folder)),
  };
}

/** Whether the repository has a revision; a shallow clone lacks older ones. */
export async function hasRevision(root: string, revision: string): Promise<boolean> {
  return git(root, 'cat-file', '-e', `${revision}^{commit}`).then(
    () => true,
    () => false,
  );
}

/** Whether the folder is the root of a git checkout. */
export async function isCheckout(root: string): Promise<boolean> {
  return git(root, 'rev-parse', '--git-dir').then(
    () => true,
    () => false,
  );
}

async function git(root: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', root, ...args], { maxBuffer: 256 * 1024 * 1024 });
  return stdout;
}
