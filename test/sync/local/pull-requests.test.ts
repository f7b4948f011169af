import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AnyRow } from '../../../src/sync/records.js';
import { git, initRepository } from '../../support/git-history.js';
import { onlyId, sqliteUri, storedRows, sync, temporaryDirectory } from '../harness.js';

function repository(): string {
  const path = join(temporaryDirectory(), 'project');
  initRepository(path);
  git(path, 'commit', '--quiet', '--allow-empty', '--message', 'root');
  return path;
}

/** A branch with one commit for each text, merged with that message. */
function merge(path: string, branch: string, texts: readonly string[], message: string): string {
  git(path, 'checkout', '--quiet', '-b', branch);
  for (const text of texts) {
    writeFileSync(join(path, `${branch.replaceAll('/', '-')}.txt`), `${text}\n`);
    git(path, 'add', '--all');
    git(path, 'commit', '--quiet', '--message', text, '--author', 'Grace <grace@example.com>');
  }
  git(path, 'checkout', '--quiet', 'main');
  git(path, 'merge', '--quiet', '--no-ff', '--message', message, branch);
  return git(path, 'rev-parse', 'HEAD').trim();
}

async function requests(path: string, db = sqliteUri(), environment = {}): Promise<readonly AnyRow[]> {
  const summary = await sync({ target: 'prs', provider: 'local', db, repoPath: path }, undefined, environment);
  expect(summary.repositories[0]?.error).toBeNull();
  return (await storedRows(db, onlyId(summary)))['git_pull_requests'] ?? [];
}

it('finds merged requests in the merge messages of both hosts', async () => {
  const path = repository();
  const first = merge(
    path,
    'topic',
    ['one', 'two'],
    'Merge pull request #12 from grace/topic\n\nAdd a topic\n\nBecause.',
  );
  merge(
    path,
    'feature/x',
    ['x'],
    "Merge branch 'feature/x' into 'main'\n\nAdd x\n\nSee merge request group/project!34",
  );
  merge(path, 'other', ['y'], "Merge branch 'other'");
  expect(await requests(path)).toEqual([
    expect.objectContaining({
      number: 12,
      title: 'Add a topic',
      body: 'Because.',
      state: 'merged',
      author_name: 'Grace',
      author_email: 'grace@example.com',
      head_branch: 'topic',
      merge_hash: first,
      additions: 1,
      deletions: 0,
      changed_files: 1,
      commit_hashes: git(path, 'log', '--format=%H', `${first}^1..${first}^2`).trim().split('\n'),
    }),
    expect.objectContaining({
      number: 34,
      title: 'Add x',
      head_branch: 'feature/x',
      base_branch: 'main',
      state: 'merged',
    }),
  ]);
});

it('takes fetched refs that are not merged for open requests', async () => {
  const path = repository();
  git(path, 'checkout', '--quiet', '-b', 'topic');
  git(path, 'commit', '--quiet', '--allow-empty', '--message', 'Open work\n\nWith a body');
  for (const ref of ['refs/pull/5/head', 'refs/merge-requests/6/head', 'refs/pull/not-a-number/head'])
    git(path, 'update-ref', ref, 'topic');
  git(path, 'checkout', '--quiet', 'main');
  git(path, 'update-ref', 'refs/pull/1/head', 'main');
  expect(await requests(path)).toMatchObject([
    { number: 5, title: 'Open work', body: 'With a body', state: 'open', merged_at: null },
    { number: 6, state: 'open' },
  ]);
});

it('keeps a request merged whose branch went on after the merge', async () => {
  const path = repository();
  merge(path, 'topic', ['one'], 'Merge pull request #3 from grace/topic\n\nOne');
  git(path, 'checkout', '--quiet', 'topic');
  git(path, 'commit', '--quiet', '--allow-empty', '--message', 'too late');
  git(path, 'update-ref', 'refs/pull/3/head', 'topic');
  git(path, 'checkout', '--quiet', 'main');
  expect(await requests(path)).toMatchObject([{ number: 3, state: 'merged', title: 'One' }]);
});

it('lets the newer of two merges of one request count, in whatever pages they come', async () => {
  const path = repository();
  merge(path, 'first', ['one'], 'Merge pull request #3 from grace/first\n\nOld');
  merge(path, 'second', ['two'], 'Merge pull request #3 from grace/second\n\nNew');
  expect(await requests(path, sqliteUri(), { BATCH_SIZE: '1' })).toMatchObject([{ number: 3, title: 'New' }]);
});

it('reads only new merges the next time', async () => {
  const path = repository();
  merge(path, 'first', ['one'], 'Merge pull request #1 from grace/first\n\nOne');
  const db = sqliteUri();
  await requests(path, db);
  merge(path, 'second', ['two'], 'Merge pull request #2 from grace/second\n\nTwo');
  const summary = await sync({ target: 'prs', provider: 'local', db, repoPath: path });
  expect(summary.repositories[0]?.records).toEqual({ repos: 1, git_pull_requests: 1, work_units: 1 });
});
