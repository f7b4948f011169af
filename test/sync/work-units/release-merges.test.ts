/** Requests that bring in what other requests brought in before: the releases of git-flow. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonValue } from '../../../src/sync/records.js';
import { git, initRepository } from '../../support/git-history.js';
import { NOW, onlyId, openDatabase, sqliteUri, sync, temporaryDirectory } from '../harness.js';
import {
  commitRow,
  DAY,
  HOUR,
  MemoryStore,
  requestRow,
  resourcesOn,
  statsRow,
  syncAndDerive,
} from './derivation/deriving.js';
import { unitsIn } from './stored-units.js';

/** Merges a branch with one file of a hundred lines into the current branch, as a request. */
function feature(path: string, number: number): void {
  const into = git(path, 'branch', '--show-current').trim();
  git(path, 'checkout', '--quiet', '-b', `feature-${number}`);
  writeFileSync(join(path, `${number}.txt`), `line ${number}\n`.repeat(100));
  git(path, 'add', '--all');
  git(path, 'commit', '--quiet', '--message', `feat: add ${number}`);
  git(path, 'checkout', '--quiet', into);
  git(
    path,
    'merge',
    '--quiet',
    '--no-ff',
    '--message',
    `Merge pull request #${number} from o/feature-${number}`,
    `feature-${number}`,
  );
}

it('a release of a clone counts no line that the requests before it brought in', async () => {
  const path = join(temporaryDirectory(), 'flow');
  initRepository(path);
  git(path, 'commit', '--quiet', '--allow-empty', '--message', 'root');
  git(path, 'checkout', '--quiet', '-b', 'develop');
  for (const number of [1, 2, 3, 4]) feature(path, number);
  writeFileSync(join(path, 'version.txt'), '2.0\n');
  git(path, 'add', '--all');
  git(path, 'commit', '--quiet', '--message', 'release 2.0');
  git(path, 'checkout', '--quiet', 'main');
  git(path, 'merge', '--quiet', '--no-ff', '--message', 'Merge pull request #5 from o/develop', 'develop');
  const db = sqliteUri();
  await sync({ target: 'prs', provider: 'local', db, repoPath: path });
  const requestsOnly = await unitsIn(db, onlyId(await sync({ target: 'git', provider: 'local', db, repoPath: path })));
  const lines = requestsOnly.map(({ id, churnLoc }) => [id.replace(/^[^:]*:/, ''), churnLoc]);
  const root = git(path, 'rev-list', '--max-parents=0', 'HEAD').trim();
  expect(Object.fromEntries(lines)).toEqual({
    [`commit:${root}`]: 0,
    ...Object.fromEntries([1, 2, 3, 4].map((number) => [`pull_request:${number}`, 100])),
    'pull_request:5': 1,
  });
});

const [A, B, R, M] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(40)) as [string, string, string, string];
type Fields = Readonly<Record<string, JsonValue>>;

async function open() {
  const store = new MemoryStore();
  const resources = await resourcesOn(await openDatabase(sqliteUri()), store);
  const repoId = randomUUID();
  const requests = (...rows: readonly (readonly [number, Fields])[]) =>
    syncAndDerive(resources, {
      repoId,
      target: 'prs',
      records: {
        git_pull_requests: rows.map(([number, fields]) => requestRow(number, { source: 'host_a', ...fields })),
      },
    });
  const commits = (...rows: readonly Parameters<typeof commitRow>[]) =>
    syncAndDerive(resources, {
      repoId,
      target: 'git',
      records: {
        git_commits: rows.map((row) => commitRow(...row)),
        git_commit_stats: rows.map(([hash]) => statsRow(hash, `${hash}.ts`)),
      },
    });
  const release = () => store.units.get(`${repoId}:pull_request:5`);
  return { requests, commits, release };
}

const featureRow = [1, { commit_hashes: [A], merged_at: NOW - 9 * DAY, additions: 3, deletions: 2 }] as const;
const releaseRow = [
  5,
  {
    commit_hashes: [A, R],
    merge_hash: M,
    created_at: NOW - DAY,
    merged_at: NOW,
    first_commit_at: NOW - 30 * DAY,
    additions: 6,
    deletions: 4,
  },
] as const;

it('a release begins when it is opened or with its first commit, and has no commit of another request', async () => {
  const { requests, commits, release } = await open();
  await commits([A, { author_when: NOW - 30 * DAY }], [R, { author_when: NOW - DAY - HOUR }], [M, { parents: 2 }]);
  await requests(featureRow, releaseRow);
  expect(release()).toMatchObject({ churnLoc: 5, startedAt: NOW - DAY - HOUR, completedAt: NOW });
  expect(release()?.phases).toEqual({ coding: HOUR });
});

it('the lines of a release are not known where the lines of one of its commits are not', async () => {
  const { requests, commits, release } = await open();
  await commits([A]);
  await requests(featureRow, releaseRow);
  expect(release()?.churnLoc).toBeNull();
  await commits([R]);
  expect(release()?.churnLoc).toBe(5);
});

it('a release whose commits are all of other requests changes no line', async () => {
  const { requests, release } = await open();
  await requests(
    featureRow,
    [2, { ...featureRow[1], commit_hashes: [B] }],
    [5, { ...releaseRow[1], commit_hashes: [A, B] }],
  );
  expect(release()).toMatchObject({ churnLoc: 0, startedAt: NOW - DAY });
});

it('a squashed release does not count what the squash repeats', async () => {
  const { requests, commits, release } = await open();
  await commits([R], [M]);
  await requests(featureRow, [5, { ...releaseRow[1], commit_hashes: [A, R, M] }]);
  expect(release()?.churnLoc).toBe(5);
});

it('a request of which others have brought in nothing keeps the sum of its host', async () => {
  const { requests, release } = await open();
  const unmerged = { state: 'closed', merged_at: null };
  await requests([1, { ...featureRow[1], ...unmerged }], [2, { ...featureRow[1], merged_at: NOW + DAY }], releaseRow);
  expect(release()).toMatchObject({ churnLoc: 10, startedAt: NOW - 30 * DAY });
});

it('a release changes when another request is merged, lists other commits, or is read later', async () => {
  const { requests, commits, release } = await open();
  await commits([R]);
  await requests(releaseRow);
  expect(release()?.churnLoc).toBe(10);
  await requests(featureRow);
  expect(release()?.churnLoc).toBe(5);
  await requests([1, { ...featureRow[1], commit_hashes: [B] }]);
  expect(release()?.churnLoc).toBe(10);
  await requests([1, { ...featureRow[1], state: 'open', merged_at: null, closed_at: null }]);
  expect(release()?.churnLoc).toBe(10);
  await requests(featureRow);
  expect(release()?.churnLoc).toBe(5);
});
