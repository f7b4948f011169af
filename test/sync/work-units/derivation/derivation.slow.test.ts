import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { describeOnEachDatabase } from '../../databases.js';
import { NOW, openDatabase } from '../../harness.js';
import {
  commitRow,
  DAY,
  deploymentRow,
  resourcesOn,
  HOUR,
  incidentRow,
  MemoryStore,
  requestRow,
  reviewRow,
  statsRow,
  store as storeOnly,
  syncAndDerive,
} from './deriving.js';

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];

describeOnEachDatabase('a derivation of work units', (engine) => {
  if (engine.kind === 'mongo') {
    it('does not exist: no engine of the analytics reads MongoDB', async () => {
      expect((await openDatabase(await engine.newDatabase())).derivation).toBeUndefined();
    });
    return;
  }

  async function open(): Promise<{
    resources: Awaited<ReturnType<typeof resourcesOn>>;
    store: MemoryStore;
    repoId: string;
  }> {
    const store = new MemoryStore();
    const resources = await resourcesOn(await openDatabase(await engine.newDatabase()), store);
    return { resources, store, repoId: randomUUID() };
  }
  const ids = (store: MemoryStore, repoId: string): string[] =>
    store.of(repoId).map(({ id }) => id.slice(repoId.length + 1));

  it('makes no unit of a merge, and removes the one that an earlier release made of it', async () => {
    const { resources, store, repoId } = await open();
    const git = { git_commits: [commitRow(A), commitRow(B, { parents: 2, message: "Merge branch 'a'" })] };
    expect(await syncAndDerive(resources, { repoId, target: 'git', records: git })).toBe(1);
    expect(ids(store, repoId)).toEqual([`commit:${A}`]);
    const [unit] = store.of(repoId);
    if (unit === undefined) throw new Error('There is no unit');
    store.units.set(`${repoId}:commit:${B}`, { ...unit, id: `${repoId}:commit:${B}` });
    await resources.records.writeProgress(repoId, new Map([['basis', 'of an earlier release']]));
    await syncAndDerive(resources, { repoId, target: 'git', records: {} });
    expect(ids(store, repoId)).toEqual([`commit:${A}`]);
  });

  it('counts a merge inside of a request as its activity, without lines', async () => {
    const { resources, store, repoId } = await open();
    const git = {
      git_commits: [commitRow(A), commitRow(B, { parents: 2, committer_when: NOW - HOUR })],
      git_commit_stats: [statsRow(A, 'a.ts'), statsRow(B, 'a.ts')],
    };
    await syncAndDerive(resources, { repoId, target: 'git', records: git });
    const open7 = requestRow(7, { state: 'open', merged_at: null, closed_at: null, commit_hashes: [A, B] });
    await syncAndDerive(resources, { repoId, target: 'prs', records: { git_pull_requests: [open7] } });
    expect(ids(store, repoId)).toEqual(['pull_request:7']);
    expect(store.units.get(`${repoId}:pull_request:7`)).toMatchObject({ churnLoc: 5, day: '2026-01-14' });
  });

  it('stores unknown churn for commits without statistics of the host, and for requests with such commits', async () => {
    const { resources, store, repoId } = await open();
    const git = { git_commits: [commitRow(A), commitRow(B), commitRow(C)], git_commit_stats: [statsRow(A, 'a.ts')] };
    await syncAndDerive(resources, { repoId, target: 'git', records: git });
    const requests = [requestRow(7, { commit_hashes: [B] }), requestRow(8), requestRow(9, { additions: 3 })];
    await syncAndDerive(resources, { repoId, target: 'prs', records: { git_pull_requests: requests } });
    const churn = Object.fromEntries(
      store.of(repoId).map(({ id, churnLoc }) => [id.slice(repoId.length + 1), churnLoc]),
    );
    expect(churn).toEqual({
      [`commit:${A}`]: 5,
      [`commit:${C}`]: null,
      'pull_request:7': null,
      'pull_request:8': null,
      'pull_request:9': 3,
    });
  });

  it.each([true, false])(
    'leaves the churn of commits without statistics in a clone unknown (in order: %s)',
    async (isInOrder) => {
      const { resources, store, repoId } = await open();
      const records = { git_commits: [commitRow(A)] };
      await syncAndDerive(resources, { repoId, target: 'git', source: 'local', records, isInOrder });
      expect(store.of(repoId)).toMatchObject([{ churnLoc: null }]);
    },
  );

  it('makes a unit of each commit outside of requests, and of each request, deployment and incident', async () => {
    const { resources, store, repoId } = await open();
    const git = {
      git_commits: [commitRow(A), commitRow(B)],
      git_commit_stats: [statsRow(A, 'a.ts'), statsRow(A, 'b.ts')],
    };
    expect(await syncAndDerive(resources, { repoId, target: 'git', records: git })).toBe(2);
    await syncAndDerive(resources, {
      repoId,
      target: 'prs',
      records: { git_pull_requests: [requestRow(7, { commit_hashes: [A] })] },
    });
    await syncAndDerive(resources, { repoId, target: 'deployments', records: { deployments: [deploymentRow('d1')] } });
    await syncAndDerive(resources, { repoId, target: 'incidents', records: { incidents: [incidentRow('i1')] } });
    expect(ids(store, repoId)).toEqual([`commit:${B}`, 'deployment:d1', 'incident:i1', 'pull_request:7']);
    expect(store.units.get(`${repoId}:pull_request:7`)).toMatchObject({
      workType: 'pull_request',
      repo: 'acme/shop',
      team: 'unassigned',
      author: 'ada@example.com',
      startedAt: NOW - 2 * DAY,
      completedAt: NOW - DAY,
      day: '2026-01-13',
      churnLoc: 10,
      theme: 'quality',
      subcategory: 'quality.bugfix',
    });
  });

  it('keeps old days, and moves days of wrong clocks to the last one that every engine stores', async () => {
    const { resources, store, repoId } = await open();
    const at = (time: number): Record<string, number> => ({ author_when: time, committer_when: time });
    const [old, wrong] = [Date.UTC(1952, 4, 1, 8), Date.UTC(9999, 11, 31)];
    const records = { git_commits: [commitRow(A, at(old)), commitRow(B, at(wrong))] };
    expect(await syncAndDerive(resources, { repoId, target: 'git', records })).toBe(2);
    const last = Date.UTC(2299, 11, 31);
    expect(store.of(repoId)).toMatchObject([
      { startedAt: old, completedAt: old, day: '1952-05-01' },
      { startedAt: last, completedAt: last, day: '2299-12-31' },
    ]);
  });

  it('derives the units of a history while storing it for the first time, without reading it back', async () => {
    const { resources, store, repoId } = await open();
    let readBack = 0;
    const records = {
      ...resources.records,
      async *commits(...query: Parameters<typeof resources.records.commits>) {
        for await (const batch of resources.records.commits(...query)) {
          readBack += batch.length;
          yield batch;
        }
      },
    };
    const watched = { ...resources, records };
    const first = {
      git_commits: [commitRow(A), commitRow(B, { parents: 2 }), commitRow(C, { message: 'fix: mend it (#7)' })],
      git_commit_stats: [statsRow(A, 'a.ts'), statsRow(A, 'test/b.test.ts'), statsRow(C, 'c.ts')],
    };
    expect(await syncAndDerive(watched, { repoId, target: 'git', records: first, isInOrder: true })).toBe(2);
    expect(readBack).toBe(0);
    expect(store.units.get(`${repoId}:commit:${A}`)).toMatchObject({ churnLoc: 10 });
    expect(store.units.get(`${repoId}:commit:${B}`)).toBeUndefined();
    // What their messages say is kept for the requests that come later.
    const request = requestRow(7, { source: 'local' });
    await syncAndDerive(resources, { repoId, target: 'prs', records: { git_pull_requests: [request] } });
    expect(ids(store, repoId)).toEqual([`commit:${A}`, 'pull_request:7']);
    // If part of a history is stored, only its changes are read back.
    const more = { git_commits: [commitRow(A, { message: 'docs: say it' })], git_commit_stats: [statsRow(A, 'a.ts')] };
    const again = { repoId, target: 'git', records: more, at: NOW + DAY, isInOrder: true } as const;
    expect(await syncAndDerive(watched, again)).toBe(1);
    expect(readBack).toBe(1);
  });

  it('removes the units of commits when their request arrives later, and restores them when the request drops them', async () => {
    const { resources, store, repoId } = await open();
    const commits = [commitRow(A), commitRow(B), commitRow(C, { message: 'feat: squashed (#7)' })];
    await syncAndDerive(resources, { repoId, target: 'git', records: { git_commits: commits } });
    expect(ids(store, repoId)).toEqual([`commit:${A}`, `commit:${B}`, `commit:${C}`]);
    const request = requestRow(7, { commit_hashes: [A], head_hash: B });
    await syncAndDerive(resources, { repoId, target: 'prs', records: { git_pull_requests: [request] } });
    expect(ids(store, repoId)).toEqual(['pull_request:7']);
    const pushed = requestRow(7, { commit_hashes: [B], head_hash: B });
    await syncAndDerive(resources, { repoId, target: 'prs', records: { git_pull_requests: [pushed] } });
    expect(ids(store, repoId)).toEqual([`commit:${A}`, 'pull_request:7']);
    // Nothing of the link is left: what arrives for the commit changes its own unit, and not the request's.
    const records = { git_commit_stats: [statsRow(A, 'src/a.ts', { additions: 40, deletions: 2 })] };
    await syncAndDerive(resources, { repoId, target: 'git', records, at: NOW + DAY });
    expect(store.of(repoId).map(({ churnLoc }) => churnLoc)).toEqual([42, null]);
  });

  it('reads only changed records', async () => {
    const { resources, store, repoId } = await open();
    const later = NOW + DAY;
    await syncAndDerive(resources, { repoId, target: 'git', records: { git_commits: [commitRow(A), commitRow(B)] } });
    expect(
      await syncAndDerive(resources, { repoId, target: 'git', records: { git_commits: [commitRow(C)] }, at: later }),
    ).toBe(1);
    expect(await syncAndDerive(resources, { repoId, target: 'git', records: {}, at: later + DAY })).toBe(0);
    expect(ids(store, repoId)).toHaveLength(3);
  });

  it('follows statistics, reviews and commits of a request that arrive after it', async () => {
    const { resources, store, repoId } = await open();
    const unit = (): object | undefined => store.units.get(`${repoId}:pull_request:7`);
    const open7 = requestRow(7, { state: 'open', merged_at: null, closed_at: null, commit_hashes: [A] });
    await syncAndDerive(resources, { repoId, target: 'prs', records: { git_pull_requests: [open7] } });
    expect(unit()).toMatchObject({ churnLoc: null, author: 'grace', completedAt: null, day: '2026-01-13' });
    await syncAndDerive(resources, { repoId, target: 'git', records: { git_commits: [commitRow(A)] }, at: NOW + DAY });
    expect(unit()).toMatchObject({ churnLoc: null, author: 'ada@example.com', day: '2026-01-14' });
    await syncAndDerive(resources, {
      repoId,
      target: 'git',
      records: { git_commit_stats: [statsRow(A, 'a.ts')] },
      at: NOW + 2 * DAY,
    });
    expect(unit()).toMatchObject({ churnLoc: 5 });
    const review = reviewRow(7, { submitted_at: NOW + HOUR * 24 });
    await syncAndDerive(resources, {
      repoId,
      target: 'prs',
      records: { git_pull_request_reviews: [review] },
      at: NOW + 3 * DAY,
    });
    expect(unit()).toMatchObject({ day: '2026-01-15' });
  });

  it('of a sync that was killed before it is finished by the next one', async () => {
    const { resources, store, repoId } = await open();
    await syncAndDerive(resources, { repoId, target: 'git', records: { git_commits: [commitRow(A)] } });
    await storeOnly(resources.sink, { repoId, target: 'git', records: { git_commits: [commitRow(B)] }, at: NOW + DAY });
    await syncAndDerive(resources, { repoId, target: 'git', records: {}, at: NOW + 9 * DAY });
    expect(ids(store, repoId)).toEqual([`commit:${A}`, `commit:${B}`]);
  });

  it('counts the total of a host only for commits without files', async () => {
    const { resources, store, repoId } = await open();
    const sum = statsRow(A, '__AGGREGATE__', { additions: 90, deletions: 9 });
    const records = { git_commits: [commitRow(A)], git_commit_stats: [sum] };
    await syncAndDerive(resources, { repoId, target: 'git', source: 'host_b', records });
    expect(store.of(repoId)).toMatchObject([{ churnLoc: 99 }]);
    const files = {
      git_commits: [commitRow(A)],
      git_commit_stats: [statsRow(A, 'a.ts'), statsRow(A, 'logo.png', { additions: null, deletions: null })],
    };
    await syncAndDerive(resources, { repoId, target: 'git', source: 'local', records: files });
    expect(store.of(repoId)).toMatchObject([{ churnLoc: 5 }]);
  });
});
