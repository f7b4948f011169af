/** Repositories whose history is rewritten between two syncs. */
import { join } from 'node:path';
import type { SyncOptions } from '../../src/sync/options.js';
import { git, initRepository, writeHistory } from '../support/git-history.js';
import { temporaryDirectory } from './harness.js';

/** A clone with this number of commits on `main`, and the options of a sync that reads all of them. */
export async function clone(commits: number): Promise<{ readonly path: string; readonly options: SyncOptions }> {
  const path = join(temporaryDirectory(), 'project');
  initRepository(path);
  await writeHistory(path, commits);
  git(path, 'checkout', '--quiet', 'main');
  return { path, options: { target: 'git', provider: 'local', repoPath: path, since: '2001-01-01' } };
}

/** Adds an empty commit and returns its hash. */
export function commit(path: string, message: string, ...more: readonly string[]): string {
  git(path, 'commit', '--quiet', '--allow-empty', '--message', message, ...more);
  return hashOf(path, 'HEAD');
}

/** Replaces the last commits by new ones with other messages: all of them are unreachable then. */
export function rewrite(path: string, count: number): readonly string[] {
  const replaced = git(path, 'rev-list', `--max-count=${count}`, 'HEAD').trim().split('\n');
  git(path, 'reset', '--quiet', '--hard', `HEAD~${count}`);
  for (let number = 1; number <= count; number += 1) commit(path, `fix: rewritten ${number}`);
  return replaced;
}

export function hashOf(path: string, revision: string): string {
  return git(path, 'rev-parse', revision).trim();
}

/** The hashes that HEAD reaches, sorted. */
export function reachableFrom(path: string): readonly string[] {
  return git(path, 'rev-list', 'HEAD').trim().split('\n').sort();
}
