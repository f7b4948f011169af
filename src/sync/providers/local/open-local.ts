/** The local provider: one clone, read with the git program. */
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SyncError } from '../../failures.js';
import type { Identity } from '../../identity.js';
import { identityOfPath, identityOfRemote, withoutCredentials } from '../../identity.js';
import type { SyncRequest } from '../../sync-request.js';
import { askedSince } from '../../time-window.js';
import type { SyncDependencies } from '../../dependencies.js';
import { toAsyncIterable } from '@plumbline/contract/system/async-iterable';
import { LARGEST_MAILMAP } from '../../work-units/authors/mailmap.js';
import { CODEOWNERS_PATHS, LARGEST_CODEOWNERS } from '../../work-units/teams/codeowners.js';
import type { OpenRepository, Page, Provider, Start } from '../provider.js';
import { blamePages } from './blame.js';
import { enclosed, enclosedEnvironment } from './enclosure.js';
import type { Git } from './git.js';
import { askGit, openGit, runGit } from './git.js';
import { historyPages } from './history.js';
import { reachOf } from './reachable.js';
import { pullRequestPages } from './pull-requests.js';

/** The limit without a time filter or an explicit maximum: the same as for hosts (src/sync/README.md). */
const DEFAULT_COMMITS = 100;
const DEFAULT_STATS = 50;

/** The maximum length of a chain of clones that is followed to find the remote. */
const CLONE_DEPTH = 5;

/** Opens the provider for the clone at `path`, which may be bare, shallow, empty or a linked worktree. */
export function openLocal(path: string, request: SyncRequest, dependencies: SyncDependencies): Provider {
  const open = async (): Promise<OpenRepository> => {
    if (!existsSync(path)) throw new SyncError('repository_unreadable', `${path} does not exist.`);
    const { environment, signal, localRoot } = dependencies;
    const root = localRoot === undefined ? undefined : realpathSync(localRoot);
    const git = await openGit(path, environment, signal, root === undefined ? {} : enclosedEnvironment(root));
    const checked = root === undefined ? git : await enclosed(git, root);
    return openRepository(checked, root, request, dependencies.progress.showsTotals === true);
  };
  const source = { name: identityOfPath(path).name, open };
  return {
    repositories: () => toAsyncIterable([source]),
  };
}

async function openRepository(
  git: Git,
  root: string | undefined,
  request: SyncRequest,
  isCounted: boolean,
): Promise<OpenRepository> {
  const directory = await gitDirectory(git);
  const remote = await findRemote(git, directory, root, CLONE_DEPTH);
  const branch = await askGit(git, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const remoteHead = await askGit(git, ['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD']);
  return {
    identity: remote.identity,
    record: {
      repo: remote.identity.name,
      ref: branch ?? null,
      url: remote.url,
      default_branch: remoteHead?.replace(/^origin\//, '') ?? branch ?? null,
      created_at: null,
      settings: { source: 'local', url: remote.url },
      tags: ['local'],
    },
    codeowners: () => readCodeowners(git),
    mailmap: () => readTracked(git, '.mailmap', LARGEST_MAILMAP),
    isInOrder: true,
    reachable: () => reachOf(git, directory),
    pages: (start) => pages(git, directory, request, isCounted, start),
  };
}

/** The first existing file of those that hosts look for, as in HEAD. A file that is too large for a host is ignored. */
async function readCodeowners(git: Git): Promise<string | null> {
  for (const path of CODEOWNERS_PATHS) {
    const text = await readTracked(git, path, LARGEST_CODEOWNERS);
    if (text !== null) return text;
  }
  return null;
}

/**
 * A file as in HEAD, never from the work tree or from a path in the settings. Null for a file that is missing, empty or
 * larger than the limit.
 */
async function readTracked(git: Git, path: string, largest: number): Promise<string | null> {
  const object = `HEAD:${path}`;
  const size = Number(await askGit(git, ['cat-file', '-s', object]));
  if (size === 0 || !(size <= largest)) return null; // a missing file has no size
  return (await askGit(git, ['cat-file', 'blob', object])) ?? null;
}

function pages(
  git: Git,
  directory: string,
  request: SyncRequest,
  isCounted: boolean,
  start: Start,
): AsyncIterable<Page> {
  const { window, maxCommits, pageSize, workers } = request;
  const isOpen = maxCommits === undefined && askedSince(window) === undefined && window.until === undefined;
  switch (request.target) {
    case 'git':
      return historyPages(
        git,
        directory,
        {
          window,
          pageSize,
          maxCommits: isOpen ? DEFAULT_COMMITS : maxCommits,
          maxStats: isOpen ? DEFAULT_STATS : undefined,
          isCounted,
        },
        start,
      );
    case 'prs':
      return pullRequestPages(git, { window, pageSize }, start);
    case 'blame':
      return blamePages(git, { window, pageSize, workers }, start);
    case 'cicd':
    case 'deployments':
    case 'incidents':
    case 'issues':
      // parseSyncRequest rejects the other targets.
      throw new SyncError('internal', `A clone holds no ${request.target}`);
  }
}

/** The directory with the objects and settings, which linked worktrees share. */
async function gitDirectory(git: Git): Promise<string> {
  const answer = (await runGit(git, ['rev-parse', '--git-common-dir'])).toString('utf8').replace(/\n$/, '');
  return realpathSync(isAbsolute(answer) ? answer : resolve(git.path, answer));
}

/**
 * The remote that the repository was cloned from. If the remote is a directory, its remote is used, because it may be a
 * clone.
 */
async function findRemote(
  git: Git,
  directory: string,
  root: string | undefined,
  depth: number,
): Promise<{ readonly identity: Identity; readonly url: string | null }> {
  const itself = { identity: identityOfPath(directory), url: null };
  const names = ((await askGit(git, ['remote'])) ?? '').split('\n').filter((name) => name !== '');
  const name = names.includes('origin') ? 'origin' : names[0];
  const address = name === undefined ? undefined : await askGit(git, ['remote', 'get-url', '--', name]);
  if (address === undefined || address === '') return itself;
  const identity = identityOfRemote(address);
  if (identity !== undefined) return { identity, url: withoutCredentials(address) };
  const path = directoryOf(address, directory);
  if (path === undefined || depth === 0 || !existsSync(path)) return itself;
  const other = await readableOrNone(git, path, root);
  return other === undefined ? itself : findRemote(other.git, other.directory, root, depth - 1);
}

/**
 * Ignores a remote that is outside of the root, belongs to another user or is not a repository any more. The clone is
 * then identified by its directory.
 */
async function readableOrNone(
  git: Git,
  path: string,
  root: string | undefined,
): Promise<{ readonly git: Git; readonly directory: string } | undefined> {
  try {
    const other =
      root === undefined
        ? { ...git, path }
        : await enclosed({ ...git, path, confinement: enclosedEnvironment(root) }, root);
    return { git: other, directory: await gitDirectory(other) };
  } catch (error) {
    if (error instanceof SyncError && error.code === 'repository_unreadable') return undefined;
    throw error;
  }
}

function directoryOf(address: string, from: string): string | undefined {
  if (/^file:\/\//i.test(address)) return URL.canParse(address) ? fileURLToPath(address) : undefined;
  return isAbsolute(address) ? address : join(from, '..', address);
}
