import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AnyRow } from '../../../src/sync/records.js';
import { git, GIT_TEST_ENVIRONMENT, initRepository } from '../../support/git-history.js';
import { onlyId, openDatabase, sqliteUri, storedRows, sync, temporaryDirectory, testDependencies } from '../harness.js';

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

/** A commit of one person that another one commits, in their names. */
function commitAs(path: string, author: string, committer: string, message: string): string {
  const [, name = '', email = ''] = /^(.*) <(.*)>$/.exec(committer) ?? [];
  const names = ['-c', `user.name=${name}`, '-c', `user.email=${email}`];
  execFileSync(
    'git',
    ['-C', path, ...names, 'commit', '--quiet', '--allow-empty', `--author=${author}`, '--message', message],
    { env: { PATH: GIT_TEST_ENVIRONMENT.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' } },
  );
  return git(path, 'rev-parse', 'HEAD').trim();
}

const GRACE = 'Grace <grace@example.com>';
const ADA = 'Ada <ada@example.com>';
const GITHUB = 'GitHub <noreply@github.com>';

it('finds squashed requests by their titles and trailers, and records which', async () => {
  const path = repository();
  const squash = commitAs(path, GRACE, GITHUB, 'Add a thing (#12)\n\n* One\n\n* Two');
  commitAs(path, GRACE, ADA, 'Mend a thing, fixes #9 (#13)');
  commitAs(path, GRACE, GITHUB, 'Revert "Add a thing (#12)" (#14)');
  const see = commitAs(path, GRACE, ADA, 'Forward\n\nBecause.\n\nSee merge request group/project!15');
  merge(path, 'topic', ['one'], 'Merge pull request #16 from grace/topic\n\nTopic');
  git(path, 'update-ref', 'refs/pull/17/head', commitAs(path, GRACE, GRACE, 'Open'));
  git(path, 'reset', '--quiet', '--hard', 'HEAD^');
  expect(await requests(path)).toMatchObject([
    {
      number: 12,
      title: 'Add a thing',
      body: '* One\n\n* Two',
      state: 'merged',
      author_email: 'grace@example.com',
      merge_hash: squash,
      commit_hashes: [squash],
      evidence: 'squash',
    },
    { number: 13, title: 'Mend a thing, fixes #9', evidence: 'title' },
    { number: 14, title: 'Revert "Add a thing (#12)"', evidence: 'squash' },
    { number: 15, title: 'Forward', body: 'Because.', merge_hash: see, evidence: 'trailer' },
    { number: 16, evidence: 'merge' },
    { number: 17, state: 'open', evidence: 'ref' },
  ]);
});

it.each([
  ['a title that its author committed', 'Mend a thing (#12)', GRACE, GRACE],
  ['a title that says so', 'Mend a thing, closes (#12)', GRACE, ADA],
  ['a revert of a squash', 'Revert "Mend a thing (#12)"', GRACE, GITHUB],
  ['a number within a title', 'Mend (#12) a thing', GRACE, GITHUB],
  ['a cherry-pick', 'Mend a thing (#12)\n\n(cherry picked from commit 0123456)', GRACE, GITHUB],
])('finds no request in %s', async (_name, message, author, committer) => {
  const path = repository();
  commitAs(path, author, committer, message);
  expect(await requests(path)).toEqual([]);
});

it('does not let a mention of a merged request replace it, in the same sync or a later one', async () => {
  const path = repository();
  const db = sqliteUri();
  const first = merge(path, 'topic', ['one'], 'Merge pull request #12 from grace/topic\n\nTopic');
  commitAs(path, GRACE, ADA, 'Mend what was merged (#12)');
  expect(await requests(path, db)).toMatchObject([{ number: 12, merge_hash: first, evidence: 'merge' }]);
  commitAs(path, GRACE, GITHUB, 'Mend it once more (#12)');
  expect(await requests(path, db)).toMatchObject([{ number: 12, merge_hash: first, evidence: 'merge' }]);
});

it('reads all again after a sync of a release that found fewer requests', async () => {
  const path = repository();
  const db = sqliteUri();
  commitAs(path, GRACE, GITHUB, 'Add a thing (#12)');
  const tip = git(path, 'rev-parse', 'HEAD').trim();
  const summary = await sync({ target: 'prs', provider: 'local', db, repoPath: path });
  const sink = await openDatabase(db);
  const key = { repoId: onlyId(summary), target: 'prs', source: 'local' } as const;
  const state = await sink.readState(key);
  if (state === undefined) throw new Error('The sync stored no state');
  const position = { tip, exclude: null, count: 0 };
  await sink.apply({ key, tables: [], blameLengths: [], state: { ...state, position } });
  const again = await sync({ target: 'prs', provider: 'local', db, repoPath: path });
  expect(again.repositories[0]?.records['git_pull_requests']).toBe(1);
});

it('starts git as often for one request as for many', async () => {
  const path = repository();
  const folder = temporaryDirectory();
  const log = join(folder, 'started');
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho started >> ${log}\nexec ${real} "$@"\n`, { mode: 0o755 });
  const environment = { ...GIT_TEST_ENVIRONMENT, PATH: `${folder}:${GIT_TEST_ENVIRONMENT.PATH}` };
  const started = async (): Promise<number> => {
    writeFileSync(log, '');
    const options = { target: 'prs', provider: 'local', db: sqliteUri(), repoPath: path };
    await sync(options, testDependencies({ environment }));
    return readFileSync(log, 'utf8').split('\n').length;
  };
  merge(path, 'topic0', ['one'], 'Merge pull request #100 from grace/topic\n\nOne');
  const once = await started();
  for (let number = 1; number < 8; number += 1)
    merge(path, `topic${number}`, ['one'], `Merge pull request #${number} from grace/topic\n\nOne`);
  expect(await started()).toBe(once);
});

it('treats fetched refs that are not merged as open requests', async () => {
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

it('reads open requests whose messages and authors look like parts of the list of refs', async () => {
  const path = repository();
  const body = 'refs/pull/9/head\n\u0001\n\nrefs/pull/10/head\t|%00\nlast';
  for (const number of [5, 6]) {
    git(path, 'checkout', '--quiet', '--detach', 'main');
    git(path, 'commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '--message', `\u0001|${number}\n\n${body}`);
    const raw = git(path, 'cat-file', 'commit', 'HEAD').replace(/^author .*? </m, 'author refs/pull/8/head\u0001| <');
    git(path, 'update-ref', `refs/pull/${number}/head`, storedCommit(path, raw));
  }
  const author = 'refs/pull/8/head\u0001|';
  expect(await requests(path)).toMatchObject([
    { number: 5, title: '\u0001|5', body, author_name: author },
    { number: 6, title: '\u0001|6', body, author_name: author },
  ]);
});

it('keeps a request merged if its branch continued after the merge', async () => {
  const path = repository();
  merge(path, 'topic', ['one'], 'Merge pull request #3 from grace/topic\n\nOne');
  git(path, 'checkout', '--quiet', 'topic');
  git(path, 'commit', '--quiet', '--allow-empty', '--message', 'too late');
  git(path, 'update-ref', 'refs/pull/3/head', 'topic');
  git(path, 'checkout', '--quiet', 'main');
  expect(await requests(path)).toMatchObject([{ number: 3, state: 'merged', title: 'One' }]);
});

it('counts the newer of two merges of one request, in any order of pages', async () => {
  const path = repository();
  merge(path, 'first', ['one'], 'Merge pull request #3 from grace/topic\n\nOld');
  merge(path, 'second', ['two'], 'Merge pull request #3 from grace/topic\n\nNew');
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

it('reads messages, names and paths that begin with the character that marks a commit in the log', async () => {
  const path = repository();
  const write = (name: string, message: string): void => {
    writeFileSync(join(path, name), 'text\n');
    git(path, 'add', '--all');
    git(path, 'commit', '--quiet', '--cleanup=verbatim', '--message', message);
  };
  write('\u0001old', '\u0001x\n');
  git(path, 'mv', '\u0001old', '\u0001new');
  commitAs(path, GRACE, GITHUB, '\u0001Rename (#7)\n\n\u0001Because.');
  // git commit removes control characters at the ends of names.
  const raw = git(path, 'cat-file', 'commit', 'HEAD').replace(/^author .*? </m, 'author \u0001Grace <');
  git(path, 'reset', '--quiet', '--hard', storedCommit(path, raw));
  merge(path, 'topic', ['\u0001one'], 'Merge pull request #12 from grace/topic\n\n\u0001Add a topic');
  expect(await requests(path)).toMatchObject([
    { number: 7, title: '\u0001Rename', body: '\u0001Because.', author_name: '\u0001Grace', changed_files: 1 },
    { number: 12, title: '\u0001Add a topic', additions: 1, changed_files: 1 },
  ]);
});

it('reads the date of an open request that no calendar has as the last one of the year 9999', async () => {
  const path = repository();
  const raw = git(path, 'cat-file', 'commit', 'HEAD').replace(
    /^committer .*$/m,
    'committer Ada <ada@example.com> 100000000000000 +0000',
  );
  git(path, 'update-ref', 'refs/pull/9/head', storedCommit(path, `${raw}open\n`));
  expect(await requests(path)).toMatchObject([
    { number: 9, state: 'open', updated_at: Date.UTC(9999, 11, 31, 23, 59, 59) },
  ]);
});

/** The hash of a commit that git itself would not write. */
function storedCommit(path: string, content: string): string {
  const args = ['-C', path, 'hash-object', '-t', 'commit', '-w', '--literally', '--stdin'];
  return execFileSync('git', args, { input: content, encoding: 'utf8', env: GIT_TEST_ENVIRONMENT }).trim();
}
