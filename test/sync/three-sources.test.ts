/** One history, read from a clone and from both hosts: the work units are the same, but for what is named here. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { WorkUnit } from '../../src/analytics/work-unit.js';
import { git, GIT_TEST_ENVIRONMENT, initRepository } from '../support/git-history.js';
import { startHostA } from '../support/hosts/host-a.js';
import { startHostB } from '../support/hosts/host-b.js';
import type { ServedRequest } from '../support/hosts/served-history.js';
import { onHostA, onHostB } from '../support/hosts/served-history.js';
import type { SyncOptions } from '../../src/sync/options.js';
import { onlyId, sqliteUri, sync, temporaryDirectory } from './harness.js';
import { unitsIn } from './work-units/stored-units.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };
const GRACE = { name: 'Grace', email: 'grace@example.com' };
const HOST = { name: 'GitHub', email: 'noreply@github.com' };

/** A repository whose commits are an hour apart. */
function timedRepository() {
  const path = join(temporaryDirectory(), 'shop');
  initRepository(path);
  let hour = 0;
  const run = (author: typeof ADA, committer: typeof ADA, args: readonly string[]): string => {
    hour += 1;
    const at = new Date(Date.UTC(2025, 11, 1, hour)).toISOString();
    execFileSync('git', ['-C', path, ...args], {
      env: {
        ...GIT_TEST_ENVIRONMENT,
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_AUTHOR_DATE: at,
        GIT_COMMITTER_NAME: committer.name,
        GIT_COMMITTER_EMAIL: committer.email,
        GIT_COMMITTER_DATE: at,
      },
    });
    return git(path, 'rev-parse', 'HEAD').trim();
  };
  return {
    path,
    /** A commit that writes as many lines. */
    commit(author: typeof ADA, message: string, lines: number, committer = author): string {
      const file = `${message.replaceAll(/\W+/g, '-')}.txt`;
      writeFileSync(join(path, file), 'a line\n'.repeat(lines));
      git(path, 'add', '--all');
      return run(author, committer, ['commit', '--quiet', '--message', message]);
    },
    merge: (branch: string, message: string): string =>
      run(ADA, ADA, ['merge', '--quiet', '--no-ff', '--message', message, branch]),
    squash(branch: string, message: string): string {
      git(path, 'merge', '--quiet', '--squash', branch);
      return run(GRACE, HOST, ['commit', '--quiet', '--message', message]);
    },
    checkout: (...args: readonly string[]) => git(path, 'checkout', '--quiet', ...args),
    timeOf: (hash: string): string =>
      new Date(Number(git(path, 'show', '--no-patch', '--format=%ct', hash)) * 1000).toISOString(),
  };
}

interface Ending {
  readonly mergedAs: string;
  readonly isSquashed?: boolean;
  /** With the minutes since the request was opened. */
  readonly reviews?: readonly (Omit<ServedRequest['reviews'][number], 'at'> & { readonly minutes: number })[];
}

/** Requests merged in both hosts' words, one squashed, one with a merge in its branch; commits and a merge without one. */
function historyWithRequests(): { readonly path: string; readonly requests: readonly ServedRequest[] } {
  const history = timedRepository();
  const { path, commit, merge, squash, checkout, timeOf } = history;
  commit(ADA, 'feat: begin', 3);
  const requests: ServedRequest[] = [];
  const request = (
    number: number,
    base: string,
    head: string,
    { mergedAs, isSquashed = false, reviews = [] }: Ending,
  ): void => {
    requests.push({
      number,
      title: `Change ${number}`,
      login: 'grace',
      base,
      head,
      // It is opened with its last commit.
      createdAt: timeOf(head),
      mergedAt: timeOf(mergedAs),
      mergedAs,
      isSquashed,
      reviews: reviews.map(({ minutes, ...review }) => ({
        ...review,
        at: new Date(Date.parse(timeOf(head)) + minutes * 60_000).toISOString(),
      })),
    });
  };
  checkout('-b', 'five');
  let head = '';
  for (const name of ['one', 'two', 'three', 'four', 'five']) head = commit(GRACE, `Write ${name}`, 10);
  checkout('main');
  let base = commit(ADA, 'fix: a thing (#9)', 4);
  request(1, base, head, {
    mergedAs: merge('five', 'Merge pull request #1 from grace/five\n\nChange 1'),
    reviews: [
      { login: 'grace', state: 'COMMENTED', minutes: 5 },
      { login: 'ada', state: 'CHANGES_REQUESTED', minutes: 10 },
      { login: 'lin', state: 'COMMENTED', minutes: 20 },
      { login: 'ada', state: 'APPROVED', minutes: 30 },
    ],
  });

  checkout('-b', 'updated');
  commit(GRACE, 'Begin an update', 6);
  checkout('main');
  base = commit(ADA, 'docs: explain', 2);
  checkout('updated');
  merge('main', "Merge branch 'main' into updated");
  head = commit(GRACE, 'End an update', 5);
  checkout('main');
  const words = "Merge branch 'updated' into 'main'\n\nChange 2\n\nSee merge request acme/shop!2";
  request(2, base, head, { mergedAs: merge('updated', words) });

  checkout('-b', 'squashed');
  commit(GRACE, 'Try', 8);
  head = commit(GRACE, 'Try again', 9);
  checkout('main');
  base = git(path, 'rev-parse', 'HEAD').trim();
  const reviews = [{ login: 'ada', state: 'APPROVED', minutes: 15 }] as const;
  request(3, base, head, { mergedAs: squash('squashed', 'Change 3 (#3)'), isSquashed: true, reviews });

  checkout('-b', 'plain');
  commit(GRACE, 'Work without a request', 7);
  checkout('main');
  merge('plain', "Merge branch 'plain'");
  return { path, requests };
}

/** What a unit says, without what depends on the name of the host; classification is not compared, see the README. */
function compared({ id, workType, repo, author, startedAt, completedAt, day, churnLoc }: WorkUnit) {
  return { name: id.slice(37), workType, repo, author, startedAt, completedAt, day, churnLoc };
}

async function unitsFrom(options: Partial<SyncOptions>) {
  const db = sqliteUri();
  let repoId = '';
  for (const target of ['git', 'prs']) {
    const summary = await sync({ ...options, target, db });
    expect(summary.repositories[0]?.error).toBeNull();
    repoId = onlyId(summary);
  }
  return unitsIn(db, repoId);
}

it('gives the same units of one history through a clone, host_a and host_b', async () => {
  const { path, requests } = historyWithRequests();
  git(path, 'remote', 'add', 'origin', 'https://host.test/acme/shop.git');
  const hostA = await startHostA(onHostA(path, 'acme/shop', requests));
  const hostB = await startHostB(onHostB(path, 7, 'acme/shop', requests));
  const clone = (await unitsFrom({ provider: 'local', repoPath: path })).map(compared);
  const unitsFromA = await unitsFrom({
    provider: 'host_a',
    hostAUrl: hostA.url,
    auth: hostA.token,
    owner: 'acme',
    repo: 'shop',
  });
  const unitsFromB = await unitsFrom({ provider: 'host_b', hostBUrl: hostB.url, auth: hostB.token, projectId: '7' });
  const [fromA, fromB] = [unitsFromA.map(compared), unitsFromB.map(compared)];

  // The request of five commits of ten lines is one unit of 50 lines, whichever source reports it.
  expect(fromB.find(({ name }) => name === 'pull_request:1')).toMatchObject({ churnLoc: 50, author: GRACE.email });
  expect(fromB).toEqual(fromA);
  // Five and three commits an hour apart, opened with the last one; of the squash, hosts know its two commits.
  const codingHours = unitsFromA.flatMap(({ phases }) =>
    phases === undefined ? [] : (phases.coding ?? 0) / 3_600_000,
  );
  expect(codingHours).toEqual([4, 3, 1]);
  expect(unitsFromB.map(({ phases }) => phases)).toEqual(unitsFromA.map(({ phases }) => phases));
  // Ten minutes until another person answers, twenty more until the last approval.
  const minutes = unitsFromB.flatMap(({ phases: { pickup, review } = {} }) =>
    pickup === undefined || review === undefined ? [] : [[pickup / 60_000, review / 60_000]],
  );
  expect(minutes).toEqual([
    [10, 20],
    [15, 0],
  ]);
  expect(unitsFromB.flatMap(({ reviewers }) => (reviewers === undefined ? [] : [reviewers]))).toEqual([
    [
      { reviewer: 'ada', team: 'unassigned', reviews: 2 },
      { reviewer: 'lin', team: 'unassigned', reviews: 1 },
    ],
    [],
    [{ reviewer: 'ada', team: 'unassigned', reviews: 1 }],
  ]);
  expect(unitsFromB.map(({ reviewers }) => reviewers)).toEqual(unitsFromA.map(({ reviewers }) => reviewers));
  // A clone has the squash of a request only: hosts know when it was opened.
  const begun = (unit: (typeof clone)[number]): number =>
    requests.some(({ number, isSquashed }) => isSquashed && unit.name === `pull_request:${number}`)
      ? (fromA.find(({ name }) => name === unit.name)?.startedAt ?? 0)
      : unit.startedAt;
  expect(clone.map((unit) => ({ ...unit, startedAt: begun(unit) }))).toEqual(fromA);
});
