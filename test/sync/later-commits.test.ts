import { describe, expect, it } from 'vitest';
import type { CommitData } from '../support/hosts/host-a-bodies.js';
import { hostARepository, problem } from '../support/hosts/host-a.js';
import { hostBProject, refusal, startHostB } from '../support/hosts/host-b.js';
import type { Fault, Host, HostRequest } from '../support/hosts/server.js';
import { NOW, noted, onlyId, sqliteUri, storedRows, sync } from './harness.js';
import { commits, host, options } from './host-a-fixture.js';
import { unitsIn } from './work-units/stored-units.js';

/** A host with a branch of so many commits; `grow` adds commits to it. */
interface Branch {
  readonly started: Host;
  readonly wanted: (db: string) => Parameters<typeof sync>[0];
  readonly grow: (count: number) => void;
  /** Replaces all commits by others. */
  readonly rewrite: (count: number) => void;
}

const rewritten = (history: CommitData[]): CommitData[] =>
  history.map((commit) => ({
    ...commit,
    sha: `f${commit.sha.slice(1)}`,
    parents: (commit.parents ?? []).map((parent) => `f${parent.slice(1)}`),
  }));

async function branchOfHostA(count: number): Promise<Branch> {
  const repository = hostARepository('acme/widgets', { commits: commits(count) });
  const started = await host(repository);
  return {
    started,
    wanted: (db) => options(started, db),
    grow: (all) => (repository.commits = commits(all)),
    rewrite: (all) => (repository.commits = rewritten(commits(all))),
  };
}

async function branchOfHostB(count: number): Promise<Branch> {
  const served = (history: CommitData[]): Record<string, unknown>[] =>
    history.map(({ sha, date, parents }) => ({
      id: sha,
      message: 'feat: a change',
      author_name: 'Ada',
      authored_date: date,
      committed_date: date,
      parent_ids: parents,
      stats: { additions: 1, deletions: 1, total: 2 },
    }));
  const project = hostBProject(7, 'group/widgets', { commits: served(commits(count)) });
  const started = await startHostB(project);
  return {
    started,
    wanted: (db) => ({
      target: 'git',
      provider: 'gitlab',
      db,
      hostBUrl: started.url,
      auth: started.token,
      projectId: '7',
    }),
    grow: (all) => (project.commits = served(commits(all))),
    rewrite: (all) => (project.commits = served(rewritten(commits(all)))),
  };
}

async function synced(branch: Branch, db: string) {
  const heard = noted();
  const summary = await sync(branch.wanted(db), heard.dependencies);
  const rows = await storedRows(db, onlyId(summary));
  return {
    repository: summary.repositories[0],
    repoId: onlyId(summary),
    notes: heard.notes,
    numbers: (rows['git_commits'] ?? []).map((row) =>
      typeof row['hash'] === 'string' ? Number(row['hash'].slice(1)) : null,
    ),
  };
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const limited = (_request: HostRequest): Fault => problem(429, 'Too many', { 'retry-after': '600' });

describe.each([
  ['host_a', branchOfHostA],
  ['host_b', branchOfHostB],
])('the commits of a busy branch of %s', (_host, open) => {
  it('are the latest 100 in the first sync, and later all since the last known head, with their sizes', async () => {
    const branch = await open(120);
    const db = sqliteUri();
    const first = await synced(branch, db);
    expect(first.numbers).toEqual(range(21, 120));
    expect(first.notes).toHaveLength(1);
    branch.grow(420);
    const later = await synced(branch, db);
    expect(later.numbers).toEqual(range(21, 420));
    expect(later.notes).toEqual([]);
    const units = await unitsIn(db, later.repoId);
    const sizes = new Map(units.map(({ id, churnLoc }) => [Number(id.slice(-39)), churnLoc]));
    expect(range(121, 420).filter((number) => sizes.get(number) === null)).toEqual([]);
  });

  it('are read on after an interruption: the new ones first, then what is left', async () => {
    const branch = await open(100);
    const db = sqliteUri();
    await synced(branch, db);
    branch.grow(320);
    branch.started.fault = (request) => (request.query.get('page') === '2' ? limited(request) : undefined);
    expect((await synced(branch, db)).repository?.error?.code).toBe('rate_limited');
    branch.grow(330);
    expect((await synced(branch, db)).numbers).toEqual(expect.arrayContaining(range(321, 330)));
    branch.started.fault = () => undefined;
    expect((await synced(branch, db)).numbers).toEqual(range(1, 330));
  });

  it('are the latest 100 again if the last known head is gone', async () => {
    const branch = await open(3);
    const db = sqliteUri();
    await synced(branch, db);
    branch.rewrite(150);
    const { repository } = await synced(branch, db);
    expect(repository).toMatchObject({ status: 'ok', records: { git_commits: 100 } });
  });

  it('are the latest 100 again if the history is rewritten while an interrupted sync is to be read on', async () => {
    const branch = await open(100);
    const db = sqliteUri();
    await synced(branch, db);
    branch.grow(320);
    branch.started.fault = (request) => (request.query.get('page') === '2' ? limited(request) : undefined);
    expect((await synced(branch, db)).repository?.error?.code).toBe('rate_limited');
    branch.started.fault = () => undefined;
    branch.rewrite(150);
    const { repository } = await synced(branch, db);
    expect(repository).toMatchObject({ status: 'ok', records: { git_commits: 100 } });
  });
});

describe('commits of host_a', () => {
  it('need no author: the committer has the date, and one without any date is skipped with a note', async () => {
    const [newest, second, ...older] = commits(4);
    if (newest === undefined || second === undefined) throw new Error('There are commits');
    const history = [{ ...newest, lacks: 'author' as const }, { ...second, lacks: 'both' as const }, ...older];
    const started = await host(hostARepository('acme/widgets', { commits: history }));
    const db = sqliteUri();
    const summary = await sync(options(started, db));
    expect(summary.repositories[0]).toMatchObject({ status: 'ok', notes: ['skipped 1 commit without a date'] });
    const rows = (await storedRows(db, onlyId(summary)))['git_commits'] ?? [];
    expect(rows.map((row) => [row['author_name'], row['author_when']])).toEqual([
      ['Ada', NOW - 3 * 60_000],
      ['Ada', NOW - 2 * 60_000],
      [null, NOW],
    ]);
  });

  it('are stored without the files of one that the host cannot answer', async () => {
    const started = await host(hostARepository('acme/widgets', { commits: commits(3) }));
    started.fault = ({ path }) => (path.endsWith('2') ? refusal(502, 'Bad Gateway') : undefined);
    const db = sqliteUri();
    const summary = await sync(options(started, db));
    expect(summary.repositories[0]).toMatchObject({
      status: 'ok',
      records: { git_commits: 3, git_commit_stats: 2, work_units: 3 },
      notes: ['the changed files of 1 commit are unknown, because the host cannot answer them'],
    });
    const churn = (await unitsIn(db, onlyId(summary))).map(({ churnLoc }) => churnLoc);
    expect(churn.filter((lines) => lines === null)).toHaveLength(1);
  });

  it('have blame without the one file for which the host fails', async () => {
    const blame = [{ startingLine: 1, endingLine: 1, sha: '1'.padStart(40, '0') }];
    const started = await host(
      hostARepository('acme/widgets', { commits: commits(1), files: { 'a.ts': blame, 'b.ts': blame, 'c.ts': blame } }),
    );
    started.fault = ({ body }) => (body.includes('"b.ts"') ? refusal(502, 'Bad Gateway') : undefined);
    const db = sqliteUri();
    const summary = await sync(options(started, db, { target: 'blame' }));
    expect(summary.repositories[0]).toMatchObject({
      status: 'ok',
      notes: ['skipped b.ts: the host returned no blame; the next commit is another try'],
    });
    const rows = (await storedRows(db, onlyId(summary)))['git_blame'] ?? [];
    expect(rows.map((row) => row['path'])).toEqual(['a.ts', 'c.ts']);
  });
});
