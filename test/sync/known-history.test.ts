/** What is known of the history of a repository, after syncs with limits. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { timeZoneOf } from '../../src/analytics/time-zone.js';
import type { WorkHistory } from '../../src/analytics/unit-records.js';
import { createUnitRecords } from '../../src/platform/figures/analytics-api/stored-unit-records.js';
import { withStoredRecords } from '../../src/platform/sources/records/stored-records.js';
import { importConnector } from '../support/chdb.js';
import { git } from '../support/git-history.js';
import { hostARepository, problem } from '../support/hosts/host-a.js';
import { clone, commitOn } from './daily-commits.js';
import { describeOnEachDatabase } from './databases.js';
import { commits, host, options as hostOptions } from './host-a-fixture.js';
import { NOW, onlyId, sqliteUri, storedRows, sync, temporaryDirectory } from './harness.js';

type HistoryLimit = Omit<WorkHistory, 'knownUntil'>;

async function historiesIn(db: string, timeZone = 'UTC'): Promise<readonly WorkHistory[]> {
  const options = { orgId: 'default', signal: new AbortController().signal, importConnector };
  return withStoredRecords({ store: db, rulesFile: null }, options, (resources) =>
    createUnitRecords({ of: (_orgId, question) => question(resources) }).workHistories('default', timeZoneOf(timeZone)),
  );
}

async function limitsIn(db: string, timeZone?: string): Promise<readonly HistoryLimit[]> {
  const histories = await historiesIn(db, timeZone);
  return histories
    .filter(({ knownSince }) => knownSince !== null)
    .map(({ repo, workType, knownSince }) => ({ repo, workType, knownSince }));
}

const local = (db: string, repoPath: string, more: Record<string, string> = {}) => ({
  target: 'git',
  provider: 'local',
  db,
  repoPath,
  ...more,
});

const limited = (repo: string, day: number): HistoryLimit => ({
  repo,
  workType: 'commit',
  knownSince: `2026-01-${String(day).padStart(2, '0')}`,
});

describeOnEachDatabase('What a sync knows of a history', (engine) => {
  it.skipIf(engine.kind === 'mongo')(
    'begins with the oldest commit that its limit includes, in this repository only',
    async () => {
      const db = await engine.newDatabase();
      await sync(local(db, clone('busy', [1, 2, 3, 4, 5]), { maxCommitsPerRepo: '3' }));
      await sync(local(db, clone('quiet', [1, 2, 3]), { maxCommitsPerRepo: '3' }));
      expect(await limitsIn(db)).toEqual([limited('busy', 3)]);
    },
  );
});

describe('What syncs know of the history of a clone', () => {
  it('has no gap after later syncs: these read all commits since the last one', async () => {
    const db = sqliteUri();
    const path = clone('busy', [1, 2, 3, 4]);
    await sync(local(db, path, { maxCommitsPerRepo: '2' }));
    commitOn(path, [5, 6, 7, 8, 9]);
    const summary = await sync(local(db, path, { maxCommitsPerRepo: '2' }));
    expect((await storedRows(db, onlyId(summary)))['git_commits']).toHaveLength(7);
    expect(await limitsIn(db)).toEqual([limited('busy', 3)]);
  });

  it('begins on the day of the time zone', async () => {
    const db = sqliteUri();
    await sync(local(db, clone('busy', [1, 2, 3, 4]), { since: '2026-01-02' }));
    expect(await limitsIn(db, 'Pacific/Auckland')).toEqual([limited('busy', 2)]);
    expect(await limitsIn(db, 'America/Los_Angeles')).toEqual([limited('busy', 1)]);
    // The sync ran at noon in London.
    expect((await historiesIn(db, 'Pacific/Auckland')).map(({ knownUntil }) => knownUntil)).toEqual(['2026-01-15']);
  });

  it('begins with the period that was read, until one reads more', async () => {
    const db = sqliteUri();
    const path = clone('project', [1, 2, 3, 4, 5]);
    await sync(local(db, path, { since: '2026-01-04' }));
    expect(await limitsIn(db)).toEqual([limited('project', 4)]);
    await sync(local(db, path, { since: '2026-01-02' }));
    expect(await limitsIn(db)).toEqual([limited('project', 2)]);
    await sync(local(db, path, { since: '2026-01-05' }));
    expect(await limitsIn(db)).toEqual([limited('project', 2)]);
    await sync(local(db, path));
    expect(await limitsIn(db)).toEqual([]);
  });

  it('begins after a gap that two periods leave between them', async () => {
    const db = sqliteUri();
    const path = clone('project', [1, 2, 3, 4, 5]);
    await sync(local(db, path, { date: '2026-01-02', backfill: '2' }));
    await sync(local(db, path, { since: '2026-01-04' }));
    expect(await limitsIn(db)).toEqual([limited('project', 4)]);
    await sync(local(db, path, { date: '2026-01-02', backfill: '2' }));
    expect(await limitsIn(db)).toEqual([limited('project', 4)]);
  });

  it('ends with the day of the last sync, or with the end of the latest period that was read', async () => {
    const db = sqliteUri();
    const path = clone('project', [1, 2, 3, 4, 5]);
    await sync(local(db, path, { date: '2026-01-03', backfill: '2' }));
    expect(await historiesIn(db)).toEqual([{ ...limited('project', 2), knownUntil: '2026-01-04' }]);
    await sync(local(db, path));
    const today = new Date(NOW).toISOString().slice(0, 10);
    expect(await historiesIn(db)).toEqual([
      { repo: 'project', workType: 'commit', knownSince: null, knownUntil: today },
    ]);
    await sync(local(db, path, { date: '2026-01-03', backfill: '2' }));
    expect(await historiesIn(db)).toMatchObject([{ knownUntil: today }]);
  });

  it('begins with the boundary of a shallow clone', async () => {
    const db = sqliteUri();
    const whole = clone('whole', [1, 2, 3, 4]);
    const path = join(temporaryDirectory(), 'shallow');
    git(whole, 'clone', '--quiet', '--depth=2', '--no-local', `file://${whole}`, path);
    await sync(local(db, path));
    expect(await limitsIn(db)).toEqual([limited('whole', 3)]);
  });

  it('stays unknown after syncs of an earlier release, until one does not continue them', async () => {
    const db = sqliteUri();
    const path = clone('project', [1, 2, 3]);
    await sync(local(db, path, { maxCommitsPerRepo: '2' }));
    await withoutKnown(db);
    commitOn(path, [4]);
    await sync(local(db, path, { maxCommitsPerRepo: '2' }));
    expect(await limitsIn(db)).toEqual([]);
    await sync(local(db, path, { maxCommitsPerRepo: '3' }));
    expect(await limitsIn(db)).toEqual([limited('project', 2)]);
  });
});

async function withoutKnown(db: string): Promise<void> {
  const { default: Database } = await import('libsql');
  const database = new Database(db.slice('sqlite:'.length));
  expect(database.prepare("update sync_state set state = json_remove(state, '$.known')").run().changes).toBe(1);
  database.close();
}

const iso = (time: number): string => new Date(time).toISOString();

describe('What syncs know of the history of a host', () => {
  it('begins with the oldest commit of the first sync, also if that was interrupted', async () => {
    const db = sqliteUri();
    const hourly = (count: number) =>
      commits(count).map((commit, index) => ({ ...commit, date: iso(NOW - (400 - count + index) * 3_600_000) }));
    const repository = hostARepository('acme/widgets', { commits: hourly(250) });
    const started = await host(repository);
    const interrupted: typeof started.fault = ({ query }) =>
      query.get('page') === '2' ? problem(429, 'Too many', { 'retry-after': '600' }) : undefined;
    const options = hostOptions(started, db, { maxCommitsPerRepo: '150' });
    started.fault = interrupted;
    expect((await sync(options)).repositories[0]?.status).toBe('failed');
    expect(await limitsIn(db)).toEqual([]);
    started.fault = () => undefined;
    await sync(options);
    const limit = { repo: 'acme/widgets', workType: 'commit', knownSince: iso(NOW - 299 * 3_600_000).slice(0, 10) };
    expect(await limitsIn(db)).toEqual([limit]);
    repository.commits = hourly(400);
    started.fault = interrupted;
    expect((await sync(options)).repositories[0]?.status).toBe('failed');
    started.fault = () => undefined;
    const summary = await sync(options);
    expect((await storedRows(db, onlyId(summary)))['git_commits']).toHaveLength(300);
    expect(await limitsIn(db)).toEqual([limit]);
  });

  it('begins with the oldest of the deployments that one sync reads', async () => {
    const db = sqliteUri();
    const deployments = Array.from({ length: 1001 }, (_, index) => ({
      databaseId: 2000 - index,
      environment: 'production',
      createdAt: iso(NOW - index * 86_400_000),
      creator: { login: 'ada' },
      commit: null,
      statuses: [],
    }));
    const started = await host(hostARepository('acme/widgets', { deployments }));
    await sync(hostOptions(started, db, { target: 'deployments' }));
    const knownSince = iso(NOW - 999 * 86_400_000).slice(0, 10);
    expect(await limitsIn(db)).toEqual([{ repo: 'acme/widgets', workType: 'deployment', knownSince }]);
  });
});
