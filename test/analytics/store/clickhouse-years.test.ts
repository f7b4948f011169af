/** Histories of any length in ClickHouse, and tables that release 0.1.0 made. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import type { ClickHouseEngine } from '../../../src/analytics/clickhouse/engine.js';
import { openChdb } from '../../../src/analytics/clickhouse/chdb.js';
import { openClickHouseServer } from '../../../src/analytics/clickhouse/server.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import type { Exclusively } from '../../../src/analytics/store/options.js';
import type { WorkUnit, WorkUnitStore } from '../../../src/analytics/work-unit.js';
import { allEngines, openOptions } from '../engines.js';

const REPO = '11111111-1111-4111-8111-111111111111';

function unit(number: number, day: string, changes: Partial<WorkUnit> = {}): WorkUnit {
  const time = Date.parse(`${day}T12:00:00Z`);
  return {
    id: `${REPO}:commit:${String(number).padStart(5, '0')}`,
    workType: 'commit',
    repo: 'group/one',
    team: 'platform',
    author: 'ada@example.com',
    theme: 'quality',
    subcategory: 'quality.testing',
    startedAt: time,
    completedAt: time,
    day,
    churnLoc: 120,
    shares: [{ subcategory: 'quality.testing', share: 1 }],
    ...changes,
  };
}

/** A unit on the first of each month. */
function monthly(months: number, firstYear: number): WorkUnit[] {
  return Array.from({ length: months }, (_, month) =>
    unit(month, new Date(Date.UTC(firstYear, month, 1)).toISOString().slice(0, 10)),
  );
}

async function all(store: WorkUnitStore, orgId: string): Promise<readonly WorkUnit[]> {
  const found: WorkUnit[] = [];
  for await (const batch of store.scan(orgId, REPO)) found.push(...batch);
  return found;
}

async function openEngine(uri: string): Promise<ClickHouseEngine> {
  const { kind, address } = parseAnalyticsUri(uri);
  return kind === 'chdb' ? openChdb(address, openOptions.importChdb) : openClickHouseServer(address);
}

/** As release 0.1.0 made it. */
const RELEASED = `
  create table work_units (
    org_id LowCardinality(String), day Date32, id String, repo_id LowCardinality(String),
    work_type LowCardinality(String), repo LowCardinality(String), team LowCardinality(String),
    author LowCardinality(String), theme LowCardinality(String), subcategory LowCardinality(String),
    churn Int64, cycle_ms Nullable(Int64),
    share_theme Array(LowCardinality(String)), share_subcategory Array(LowCardinality(String)),
    share_weight Array(UInt32), share_cycle_ms Array(Int64),
    started_at DateTime64(3, 'UTC'), completed_at Nullable(DateTime64(3, 'UTC')),
    version UInt64, is_deleted UInt8,
    index by_id id type bloom_filter(0.01) granularity 1,
    index by_repository repo_id type set(100) granularity 1
  ) engine = ReplacingMergeTree(version, is_deleted)
  partition by toYYYYMM(day)
  order by (org_id, day, id)
  settings min_age_to_force_merge_seconds = 60, min_age_to_force_merge_on_partition_only = 1`;

function releasedRow(orgId: string, { id, day }: WorkUnit, changes: object = {}): object {
  return {
    ...{ org_id: orgId, day, id, repo_id: REPO, work_type: 'commit', repo: 'group/one', team: 'platform' },
    ...{ author: 'ada@example.com', theme: 'quality', subcategory: 'quality.testing', churn: 120, cycle_ms: 0 },
    ...{ share_theme: ['quality'], share_subcategory: ['quality.testing'], share_weight: [1_000_000] },
    ...{ share_cycle_ms: [0], started_at: `${day} 12:00:00.000`, completed_at: `${day} 12:00:00.000` },
    ...{ version: 5, is_deleted: 0, ...changes },
  };
}

for (const engine of allEngines().filter(({ kind }) => kind === 'clickhouse' || kind === 'chdb')) {
  const title = 'missing' in engine ? `${engine.kind} (skipped: ${engine.missing})` : engine.kind;
  describe.skipIf('missing' in engine)(`the table of work units on ${title}`, () => {
    const newUri = 'missing' in engine ? () => Promise.reject(new Error(engine.missing)) : engine.newUri;

    it('stores a history of 240 months in one change, and one that spans all valid days', async () => {
      const store = await openWorkUnitStore(parseAnalyticsUri(await newUri()), openOptions);
      await store.ensureSchema();
      const [orgId, other] = [randomUUID(), randomUUID()];
      const history = monthly(240, 2005);
      await store.apply({ orgId, repoId: REPO, units: history, removed: [], areNew: true });
      expect(await all(store, orgId)).toEqual(history);
      const brokenClocks = Array.from({ length: 400 }, (_, year) => unit(year, `${1900 + year}-06-15`));
      await store.apply({ orgId: other, repoId: REPO, units: brokenClocks, removed: [] });
      expect(await all(store, other)).toEqual(brokenClocks);
      await store.close();
    });

    it('keeps the units of a table of release 0.1.0, and stores long histories afterwards', async () => {
      const uri = await newUri();
      const orgId = randomUUID();
      const [kept, moved, gone] = [unit(1, '2001-01-01'), unit(2, '2009-05-05'), unit(3, '2010-01-01')];
      const former = await openEngine(uri);
      await former.command(RELEASED);
      await former.insert('work_units', [
        releasedRow(orgId, kept),
        releasedRow(orgId, { ...moved, day: '2001-01-02' }),
        releasedRow(orgId, gone),
      ]);
      await former.insert('work_units', [
        releasedRow(orgId, moved, { version: 6 }),
        releasedRow(orgId, { ...moved, day: '2001-01-02' }, { version: 6, is_deleted: 1 }),
        releasedRow(orgId, gone, { version: 6, is_deleted: 1 }),
      ]);
      await former.close();
      const store = await openWorkUnitStore(parseAnalyticsUri(uri), openOptions);
      await store.ensureSchema();
      expect(await all(store, orgId)).toEqual([kept, moved]);
      await store.ensureSchema();
      const history = monthly(240, 2005);
      await store.apply({ orgId, repoId: REPO, units: history, removed: [kept.id, moved.id] });
      expect(await all(store, orgId)).toEqual(history);
      await store.close();
    });

    it('is rebuilt by one process at a time, while others wait', async () => {
      const uri = await newUri();
      const orgId = randomUUID();
      const kept = unit(1, '2001-01-01');
      const engineOfTest = await openEngine(uri);
      await engineOfTest.command(RELEASED);
      await engineOfTest.insert('work_units', [releasedRow(orgId, kept)]);
      const partition = async (): Promise<unknown> =>
        (
          await engineOfTest.query(
            "select partition_key from system.tables where database = currentDatabase() and name = 'work_units'",
            {},
          )
        )[0]?.[0];
      const address = parseAnalyticsUri(uri);
      const during: unknown[] = [];
      let isBusy = false;
      const exclusively: Exclusively = async (work) => {
        isBusy = true;
        during.push(await partition());
        // Meanwhile the other process does the whole of it.
        const other = await openWorkUnitStore(address, openOptions);
        await other.ensureSchema();
        await other.close();
        await work(() => Promise.reject(new Error('there is nothing left to write')));
        isBusy = false;
      };
      const store = await openWorkUnitStore(address, { ...openOptions, exclusively });
      await store.ensureSchema();
      expect([during, isBusy, await partition()]).toEqual([['toYYYYMM(day)'], false, 'toYear(day)']);
      expect(await all(store, orgId)).toEqual([kept]);
      await store.close();
      await engineOfTest.close();
    });

    it('is not replaced by a process that lost its lock while it copied', async () => {
      const uri = await newUri();
      const orgId = randomUUID();
      const kept = unit(1, '2001-01-01');
      const former = await openEngine(uri);
      await former.command(RELEASED);
      await former.insert('work_units', [releasedRow(orgId, kept)]);
      const lost: Exclusively = (work) => work(() => Promise.reject(new Error('the lock is lost')));
      const store = await openWorkUnitStore(parseAnalyticsUri(uri), { ...openOptions, exclusively: lost });
      await expect(store.ensureSchema()).rejects.toThrow('the lock is lost');
      const [row] = await former.query(
        "select partition_key from system.tables where database = currentDatabase() and name = 'work_units'",
        {},
      );
      expect(row).toEqual(['toYYYYMM(day)']);
      expect(await all(store, orgId)).toEqual([kept]);
      await former.close();
      await store.close();
    });

    it('stores units of unknown churn in a table of years without such units', async () => {
      const uri = await newUri();
      const orgId = randomUUID();
      const [kept, unknown] = [unit(1, '2001-01-01'), unit(2, '2001-01-02', { churnLoc: null })];
      const former = await openEngine(uri);
      await former.command(RELEASED.replace('toYYYYMM(day)', 'toYear(day)'));
      await former.insert('work_units', [releasedRow(orgId, kept)]);
      await former.close();
      const store = await openWorkUnitStore(parseAnalyticsUri(uri), openOptions);
      await store.ensureSchema();
      await store.apply({ orgId, repoId: REPO, units: [unknown], removed: [] });
      expect(await all(store, orgId)).toEqual([kept, unknown]);
      await store.close();
    });

    it('keeps rows that were written during an interrupted rebuild', async () => {
      const uri = await newUri();
      const orgId = randomUUID();
      const [copied, late] = [unit(1, '2001-01-01'), unit(2, '2009-05-05')];
      const store = await openWorkUnitStore(parseAnalyticsUri(uri), openOptions);
      await store.ensureSchema();
      const former = await openEngine(uri);
      await former.command(RELEASED.replace('work_units', 'work_units_former'));
      await former.insert('work_units', [releasedRow(orgId, copied)]);
      await former.insert('work_units_former', [releasedRow(orgId, copied), releasedRow(orgId, late)]);
      await store.ensureSchema();
      expect(await all(store, orgId)).toEqual([copied, late]);
      expect(
        await former.query(
          "select name from system.tables where database = currentDatabase() and name like 'work_units_%'",
          {},
        ),
      ).toEqual([]);
      await former.close();
      await store.close();
    });
  });
}
