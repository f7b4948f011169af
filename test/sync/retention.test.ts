/** Records are removed by their age, with their units, and no figure of the days that stay changes. */
import { describe, expect, it } from 'vitest';
import { calendarAsText } from '../../src/analytics/organization-calendar.js';
import { timeZoneOf } from '../../src/analytics/time-zone.js';
import { workHistories } from '../../src/sync/known-history.js';
import { codeHealth } from '../../src/sync/code-health/code-health.js';
import { TABLES, type AnyRow } from '../../src/sync/records.js';
import type { RetainedDatabase, RetentionOptions } from '../../src/sync/retention/repository-retention.js';
import { removeOldRecords } from '../../src/sync/retention/retention.js';
import { parseConnection } from '../../src/sync/sinks/connection-string.js';
import { openSink } from '../../src/sync/sinks/open.js';
import type { Sink, SyncState } from '../../src/sync/sinks/sink.js';
import { parseSyncRequest } from '../../src/sync/request.js';
import { runSync } from '../../src/sync/run.js';
import { stampedPage } from '../../src/sync/stamped-page.js';
import type { Target } from '../../src/sync/targets.js';
import { refreshRepository } from '../../src/sync/work-units/derivation/derivation.js';
import { keyKind } from '../../src/sync/work-units/derivation/issue-keys.js';
import { openDerivationResources } from '../../src/sync/work-units/derivation/resources.js';
import type { CommitData } from '../support/hosts/host-a-bodies.js';
import { hostARepository } from '../support/hosts/host-a.js';
import { describeOnEachDatabase } from './databases.js';
import { NOW, onlyId, sqliteUri, storedRows, sync, testDependencies } from './harness.js';
import { host, options as hostOptions } from './host-a-fixture.js';
import {
  commitRow,
  DAY,
  deploymentRow,
  HOUR,
  incidentRow,
  issueRow,
  requestRow,
  reviewRow,
  statsRow,
} from './work-units/derivation/deriving.js';
import { unitsIn } from './work-units/stored-units.js';

const repoId = '0b7f6a2e-1111-8111-8111-000000000001';
/** Today is 14 January: 30 days before it begins what stays. */
const FIRST_DAY = '2025-12-15';
const FIRST = Date.UTC(2025, 11, 15);
/** Long before it. */
const OLD = FIRST - 40 * DAY;
const RECENT = FIRST + 10 * DAY;

const at = (time: number) => ({ author_when: time - HOUR, committer_when: time });
const merged = (time: number) => ({
  ...{ created_at: time - DAY, updated_at: time, merged_at: time, closed_at: time },
});
const deployed = (time: number) => ({
  ...{ started_at: time, finished_at: time + HOUR, deployed_at: time + HOUR, committed_at: time - HOUR },
});
const listing = (...names: string[]) => ({ commit_hashes: names, head_hash: names[0] ?? null });

const RECORDS: Readonly<Record<string, readonly AnyRow[]>> = {
  git_commits: [
    commitRow('alone-old', at(OLD)),
    commitRow('alone-just-old', { ...at(FIRST - 1), message: 'fix: the last one that goes' }),
    commitRow('alone-first', at(FIRST)),
    commitRow('authored-late', { author_when: RECENT, committer_when: OLD }),
    commitRow('of-1', at(OLD)),
    commitRow('of-open', at(OLD)),
    commitRow('of-recent', at(OLD)),
    commitRow('shared', at(OLD)),
    commitRow('after-the-merge', at(RECENT)),
  ],
  git_commit_stats: [
    statsRow('alone-old', 'src/a.ts'),
    statsRow('alone-first', 'src/a.ts'),
    statsRow('of-1', 'src/a.ts'),
    statsRow('of-open', 'src/a.ts'),
    statsRow('of-recent', 'src/b.ts'),
    statsRow('shared', 'src/c.ts', { additions: 100 }),
  ],
  git_pull_requests: [
    requestRow(1, { ...merged(OLD), ...listing('of-1'), body: 'Fixes #1' }),
    requestRow(2, {
      ...merged(OLD),
      ...listing('of-open'),
      state: 'open',
      merged_at: null,
      closed_at: null,
    }),
    requestRow(3, { ...merged(RECENT), ...listing('of-recent', 'shared'), created_at: OLD, additions: 500 }),
    requestRow(4, { ...merged(OLD), ...listing('shared') }),
    requestRow(5, { ...merged(OLD), state: 'closed', merged_at: null }),
    requestRow(6, { ...merged(OLD), state: 'closed', merged_at: null, updated_at: RECENT }),
    requestRow(7, { ...merged(OLD), ...listing('after-the-merge') }),
  ],
  git_pull_request_reviews: [
    reviewRow(1, { submitted_at: OLD }),
    reviewRow(2, { submitted_at: OLD }),
    reviewRow(3, { submitted_at: OLD }),
  ],
  issues: [
    issueRow(1, { created_at: OLD - DAY, updated_at: RECENT, closed_at: OLD }),
    issueRow(2, { created_at: OLD - DAY, updated_at: OLD, closed_at: null, state: 'open' }),
    issueRow(3, { created_at: OLD - DAY, updated_at: RECENT, closed_at: RECENT }),
  ],
  issue_state_changes: [
    { number: 1, change_id: '1', state: 'closed', actor: 'ada', changed_at: OLD },
    { number: 3, change_id: '1', state: 'opened', actor: 'ada', changed_at: OLD },
  ],
  incidents: [
    incidentRow('resolved', { started_at: OLD, resolved_at: OLD + HOUR }),
    incidentRow('open', { started_at: OLD, resolved_at: null }),
    incidentRow('recent', { started_at: RECENT, resolved_at: RECENT + HOUR }),
  ],
  ci_pipeline_runs: [
    { run_id: 'old', status: 'success', queued_at: OLD, started_at: OLD, finished_at: OLD + HOUR },
    { run_id: 'recent', status: 'success', queued_at: RECENT, started_at: RECENT, finished_at: RECENT + HOUR },
  ],
  deployments: [
    deploymentRow('oldest', { ...deployed(OLD - DAY), commit_hash: 'a' }),
    deploymentRow('older', { ...deployed(OLD), commit_hash: 'b' }),
    deploymentRow('staging', { ...deployed(OLD + 2 * DAY), environment: 'staging', commit_hash: 'c' }),
    deploymentRow('latest-old', { ...deployed(OLD + DAY), commit_hash: 'd' }),
    deploymentRow('again', { ...deployed(OLD + DAY), started_at: OLD + 3 * DAY, commit_hash: 'd' }),
    deploymentRow('with-3', { ...deployed(RECENT + DAY), commit_hash: 'e' }),
  ],
  git_blame: [
    {
      ...{ path: 'src/a.ts', line_no: 1, author_email: 'ada@example.com', author_name: 'Ada', author_when: OLD },
      ...{ commit_hash: 'alone-old', line: 'x' },
    },
  ],
};

async function withDatabase(uri: string, work: (database: RetainedDatabase) => Promise<void>): Promise<void> {
  const address = parseConnection(uri);
  if ('problem' in address) throw new Error(address.problem);
  // A removal holds nine locks, each on a connection.
  const sink = await openSink(address, { now: () => NOW, concurrency: 3, echo: undefined }, testDependencies());
  await sink.ensureSchema();
  const resources = await openDerivationResources(sink, { orgId: 'default', rulesFile: undefined }, testDependencies());
  try {
    await work({ orgId: 'default', sink, resources, dependencies: testDependencies() });
  } finally {
    await resources?.close();
    await sink.close();
  }
}

/** Stores the records as a host reports them, and derives their units. */
async function store({ sink, resources }: RetainedDatabase, records = RECORDS): Promise<void> {
  const record = {
    ...{ repo: 'acme/widgets', ref: null, url: 'https://github.com/acme/widgets', default_branch: 'main' },
    ...{ created_at: null, settings: {}, tags: [] },
  };
  const known = { from: null, to: NOW };
  const state: SyncState = { revision: 'r', request: 'limits', position: { head: 'x' }, done: true, known };
  const targets: readonly Target[] = ['git', 'prs', 'deployments', 'incidents', 'issues'];
  for (const target of targets) {
    const key = { repoId, target, source: 'host_a' } as const;
    const rows = target === 'git' ? { record, records } : { record: undefined, records: {} };
    await sink.apply(stampedPage(rows, { key, state, time: NOW - DAY, orgId: 'default' }));
  }
  if (resources !== undefined) await refreshRepository(resources, repoId);
}

/** The keys of the stored rows of each table. */
async function keysIn(uri: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const rows = await storedRows(uri, repoId);
  return Object.fromEntries(
    TABLES.filter(({ name }) => name !== 'repos').map(({ name, key }) => [
      name,
      (rows[name] ?? []).map((row) => row[key[1] ?? '']),
    ]),
  );
}

const remove = (database: RetainedDatabase, options: Partial<RetentionOptions> = {}) =>
  removeOldRecords(database, { days: 30, ...options });

const REMOVED = {
  git_pull_requests: 2,
  git_commits: 3,
  issues: 1,
  incidents: 1,
  ci_pipeline_runs: 1,
  deployments: 3,
};

describeOnEachDatabase('Old records', ({ kind, newDatabase }) => {
  it.skipIf(kind === 'mongo')(
    'go with their units, but for those that are open or that units of the period depend on',
    async () => {
      const uri = await newDatabase();
      await withDatabase(uri, async (database) => {
        await store(database);
        const { resources, sink } = database;
        if (resources === undefined) throw new Error('There are no work units');
        await resources.corrections.correct('default', correction(`${repoId}:commit:alone-old`));
        await resources.corrections.correct('default', correction(`${repoId}:commit:alone-first`));
        const histories = async () =>
          workHistories(await resources.records.syncStates('default'), timeZoneOf('UTC')).map(
            ({ workType, knownSince }) => `${workType} ${String(knownSince)}`,
          );
        expect(await histories()).toContain('commit null');

        expect(await remove(database, { dryRun: true })).toEqual({ records: REMOVED, busy: [], isComplete: true });
        expect(await histories()).toContain('commit null');
        expect((await remove(database, { batchSize: 2 })).records).toEqual(REMOVED);

        expect((await histories()).sort()).toEqual(
          ['commit', 'deployment', 'incident', 'issue', 'pull_request'].map((type) => `${type} ${FIRST_DAY}`),
        );
        const corrections = await resources.corrections.listCorrections('default', '', 10);
        expect(corrections.map(({ unitId }) => unitId)).toEqual([`${repoId}:commit:alone-first`]);
        expect(await sink.readState({ repoId, target: 'git', source: 'host_a' })).toMatchObject({
          position: { head: 'x' },
          known: { from: null, to: NOW },
        });
        expect((await remove(database)).records).toEqual({});
      });
      expect(await keysIn(uri)).toEqual({
        git_commits: ['after-the-merge', 'alone-first', 'authored-late', 'of-open', 'of-recent', 'shared'],
        git_commit_stats: ['alone-first', 'of-open', 'of-recent', 'shared'],
        git_pull_requests: [2, 3, 4, 6, 7],
        git_pull_request_reviews: [2, 3],
        issues: [2, 3],
        issue_state_changes: [3],
        incidents: ['open', 'recent'],
        ci_pipeline_runs: ['recent'],
        deployments: ['again', 'older', 'with-3'],
        git_blame: ['src/a.ts'],
      });
    },
  );

  it.skipIf(kind === 'mongo')('leave the units as all later derivations make them', async () => {
    const uri = await newDatabase();
    await withDatabase(uri, (database) => store(database));
    const before = await unitsIn(uri, repoId);
    await withDatabase(uri, async (database) => {
      await remove(database);
    });
    const after = await unitsIn(uri, repoId);
    expect(after.filter(({ day }) => day >= FIRST_DAY)).toEqual(before.filter(({ day }) => day >= FIRST_DAY));
    expect(after.map(({ id }) => id.slice(repoId.length + 1))).toEqual([
      'commit:alone-first',
      'commit:authored-late',
      'deployment:again',
      'deployment:older',
      'deployment:with-3',
      'incident:open',
      'incident:recent',
      'issue:2',
      'issue:3',
      ...['2', '3', '4', '6', '7'].map((number) => `pull_request:${number}`),
    ]);
    expect(after.find(({ id }) => id.endsWith(':pull_request:3'))?.phases?.deploy).toBeDefined();
    await withDatabase(uri, async ({ resources }) => {
      if (resources === undefined) throw new Error('There are no work units');
      await resources.records.writeProgress(repoId, new Map([['basis', 'other rules']]));
      await refreshRepository(resources, repoId);
    });
    const later = await unitsIn(uri, repoId);
    expect(later.map(({ id }) => id)).toEqual(after.map(({ id }) => id));
    expect(later.filter(({ day }) => day >= FIRST_DAY)).toEqual(after.filter(({ day }) => day >= FIRST_DAY));
  });

  it.skipIf(kind !== 'mongo')('go by their age alone where no units are derived', async () => {
    const uri = await newDatabase();
    await withDatabase(uri, async (database) => {
      await store(database);
      const { records } = await remove(database);
      expect(records).toEqual({ ...REMOVED, git_pull_requests: 4, git_commits: 6, deployments: 5 });
      expect((await remove(database)).records).toEqual({});
    });
    expect(await keysIn(uri)).toMatchObject({
      git_commits: ['after-the-merge', 'alone-first', 'authored-late'],
      git_commit_stats: ['alone-first'],
      git_pull_requests: [2, 3, 6],
      issues: [2, 3],
      deployments: ['with-3'],
    });
  });
});

describe('Removing old records', () => {
  it('stops when its time is up, and the next one continues', async () => {
    const uri = sqliteUri();
    await withDatabase(uri, async (database) => {
      await store(database);
      const total: Record<string, number> = {};
      let calls = 0;
      for (let isComplete = false; !isComplete; calls += 1) {
        const removed = await remove(database, { batchSize: 1, isTimeUp: () => true });
        for (const [table, rows] of Object.entries(removed.records)) total[table] = (total[table] ?? 0) + rows;
        ({ isComplete } = removed);
        if (calls > 100) throw new Error('It does not end');
      }
      expect(calls).toBeGreaterThan(5);
      expect(total).toEqual(REMOVED);
    });
  });

  it.each(['git_pull_request_reviews', 'git_pull_requests', 'git_commit_stats', 'git_commits', 'deployments'])(
    'that fails in front of %s is completed by the next one',
    async (name) => {
      const [uri, whole] = [sqliteUri(), sqliteUri()];
      await withDatabase(whole, async (database) => {
        await store(database);
        await remove(database);
      });
      await withDatabase(uri, async (database) => {
        await store(database);
        const sink: Sink = {
          ...database.sink,
          remove: (table, ...rest) =>
            table.name === name ? Promise.reject(new Error('killed')) : database.sink.remove(table, ...rest),
        };
        await expect(remove({ ...database, sink })).rejects.toThrow('killed');
        const states = (await database.resources?.records.syncStates('default')) ?? [];
        expect(workHistories(states, timeZoneOf('UTC'))[0]?.knownSince).toBe(FIRST_DAY);
        await remove(database);
      });
      expect(await storedRows(uri, repoId)).toEqual(await storedRows(whole, repoId));
      expect(await unitsIn(uri, repoId)).toEqual(await unitsIn(whole, repoId));
    },
  );

  it('leaves a repository alone that a sync holds', async () => {
    await withDatabase(sqliteUri(), async (database) => {
      await store(database);
      const lock = await database.sink.tryLock({ repoId, target: 'prs', source: 'host_a' });
      expect(await remove(database)).toEqual({ records: {}, busy: ['acme/widgets'], isComplete: true });
      await lock?.release();
      expect((await remove(database)).records).toEqual(REMOVED);
    });
  });

  it('removes the keys of issues that removed requests and commits name', async () => {
    const uri = sqliteUri();
    await withDatabase(uri, async (database) => {
      const { resources } = database;
      if (resources === undefined) throw new Error('There are no work units');
      await store(database, {
        git_commits: [
          commitRow('alone-old', { ...at(OLD), message: 'SHOP-1' }),
          commitRow('alone-first', { ...at(FIRST), message: 'SHOP-2' }),
        ],
        git_pull_requests: [
          requestRow(1, { ...merged(OLD), title: 'SHOP-1' }),
          requestRow(3, { ...merged(RECENT), title: 'SHOP-2' }),
        ],
      });
      const kinds = [keyKind('commit', 'SHOP'), keyKind('request', 'SHOP')];
      const closers = async () => {
        const named = await resources.records.closingsAnywhere('default', [1, 2], kinds);
        return named.map(({ issue, closer }) => `${issue} ${closer}`).sort();
      };
      expect(await closers()).toEqual(['1 1', '1 alone-old', '2 3', '2 alone-first']);
      await remove(database);
      expect(await closers()).toEqual(['2 3', '2 alone-first']);
    });
  });

  it('begins the period with a day of the time zone of the organization', async () => {
    await withDatabase(sqliteUri(), async (database) => {
      const { resources } = database;
      if (resources === undefined) throw new Error('There are no work units');
      await resources.records.writeFile(
        'calendar',
        'default',
        calendarAsText({ weekStartsOn: 'MONDAY', timeZone: 'America/New_York' }),
      );
      await store(database, {
        git_commits: [commitRow('before', at(FIRST + 5 * HOUR - 1)), commitRow('first', at(FIRST + 5 * HOUR))],
      });
      expect((await remove(database)).records).toEqual({ git_commits: 1 });
      const states = await resources.records.syncStates('default');
      const since = (zone: string) => workHistories(states, timeZoneOf(zone))[0]?.knownSince;
      expect([since('America/New_York'), since('UTC'), since('Pacific/Auckland')]).toEqual([
        FIRST_DAY,
        '2025-12-16', // the day before is known in part
        '2025-12-16',
      ]);
    });
  });

  it('does not let a longer period or a later sync claim to know what is gone', async () => {
    await withDatabase(sqliteUri(), async (database) => {
      await store(database);
      await remove(database);
      await remove(database, { days: 3000 });
      const state = { revision: 's', request: 'other', position: null, done: true, known: { from: OLD, to: NOW } };
      const key = { repoId, target: 'git', source: 'host_a' } as const;
      await database.sink.apply({ key, tables: [], blameLengths: [], state });
      const states = (await database.resources?.records.syncStates('default')) ?? [];
      const known = workHistories(states, timeZoneOf('UTC'));
      expect(new Set(known.map(({ knownSince }) => knownSince))).toEqual(new Set([FIRST_DAY]));
    });
  });

  it('lets code health begin with what is kept, and rework 21 days later', async () => {
    await withDatabase(sqliteUri(), async (database) => {
      const { resources } = database;
      if (resources === undefined) throw new Error('There are no work units');
      const commits = ['old', 'first', 'late'].map((hash, index) =>
        commitRow(hash, at(FIRST + (index * 25 - 10) * DAY)),
      );
      const files = ['old', 'first', 'late'].map((hash) => statsRow(hash, 'src/a.ts', { additions: 10, deletions: 5 }));
      await store(database, {
        git_commits: [...commits, commitRow('of-open', at(FIRST - DAY))],
        git_commit_stats: [...files, statsRow('of-open', 'src/a.ts')],
        git_pull_requests: [requestRow(1, { state: 'open', ...listing('of-open'), merged_at: null, closed_at: null })],
      });
      await remove(database);
      const request = {
        ...{ repo: 'acme/widgets', depth: 1, topN: 5 },
        dateRange: { startDate: '2025-12-01', endDate: '2026-01-31' },
      };
      const health = await codeHealth(resources, request, new AbortController().signal);
      expect(health).toMatchObject({ commits: 2, coverage: 1, knownSince: '2025-12-30' });
      // The lines of 30 December are too old by 24 January, and what was deleted on that day is not counted.
      expect(health.rework).toMatchObject({ addedLines: 10, deletedLines: 5, reworkedLines: 0 });
    });
  });
});

describe('A sync where old records are not kept', () => {
  const kept = { RECORD_RETENTION_DAYS: '30' };

  it('reads none that would be removed, and continues on another day without reading the period again', async () => {
    const repository = hostARepository('acme/widgets', { commits: commits(200, DAY / 2) });
    const started = await host(repository);
    const db = sqliteUri();
    const options = hostOptions(started, db, { period: '60' });
    const id = onlyId(await sync(options, testDependencies(), kept));
    // The day before the period is read, because days of the organization may begin earlier; half a day each.
    expect((await storedRows(db, id))['git_commits']).toHaveLength(64);
    const before = started.requests.length;
    const parsed = parseSyncRequest(options, kept, NOW + 3 * DAY);
    if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
    const later = await runSync(parsed.request, testDependencies());
    expect(later.repositories[0]?.records['git_commits']).toBeUndefined();
    expect(started.requests.slice(before).filter(({ path }) => /\/commits\/0{30}/.test(path))).toEqual([]);
  });

  it('has the limits of one where all are kept', async () => {
    const started = await host(hostARepository('acme/widgets', { commits: commits(200, 60_000) }));
    const db = sqliteUri();
    const id = onlyId(await sync(hostOptions(started, db), testDependencies(), kept));
    expect((await storedRows(db, id))['git_commits']).toHaveLength(100);
  });

  it('is refused if all that it would read is older', () => {
    const options = { target: 'git', provider: 'local', db: 'sqlite:x' };
    expect(parseSyncRequest({ ...options, date: '2025-10-01' }, kept, NOW)).toEqual({
      ok: false,
      problems: ['the time to read lies before the 30 days of which records are kept (RECORD_RETENTION_DAYS)'],
    });
    expect(parseSyncRequest({ ...options, target: 'blame', date: '2025-10-01' }, kept, NOW).ok).toBe(true);
    expect(parseSyncRequest(options, { RECORD_RETENTION_DAYS: '0' }, NOW)).toEqual({
      ok: false,
      problems: ['RECORD_RETENTION_DAYS must be a whole number, at least 1; it is "0"'],
    });
  });
});

/** A linear history whose hashes are its numbers; newest first, from now on backwards. */
function commits(count: number, distance: number): CommitData[] {
  return Array.from({ length: count }, (_, index) => ({
    sha: String(count - index).padStart(40, '0'),
    date: new Date(NOW - index * distance).toISOString(),
    parents: index === count - 1 ? [] : [String(count - index - 1).padStart(40, '0')],
    files: [{ filename: 'src/a.ts', additions: index, deletions: 1 }],
  }));
}

function correction(unitId: string) {
  return {
    unitId,
    subcategory: 'feature_delivery.roadmap' as const,
    note: null,
    correctedAt: NOW,
    correctedBy: 'ada@example.com',
  };
}
