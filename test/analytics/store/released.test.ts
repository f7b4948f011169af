/** Tables that release 0.1.0 made, in which every churn was known and which had no phases. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import { parseAnalyticsUri, type AnalyticsAddress } from '../../../src/analytics/address.js';
import { AnalyticsUnavailable, type AnalyticsBatch } from '../../../src/analytics/analytics.js';
import { openChdb } from '../../../src/analytics/clickhouse/chdb.js';
import { openClickHouseServer } from '../../../src/analytics/clickhouse/server.js';
import { openAnalytics } from '../../../src/analytics/open.js';
import type { WorkUnit } from '../../../src/analytics/work-unit.js';
import { createEmptyDatabase } from '../../support/postgres.js';
import { describeOnEachEngine, openOptions } from '../engines.js';

const REPO = '11111111-1111-4111-8111-111111111111';
const known: WorkUnit = {
  id: `${REPO}:commit:1`,
  workType: 'commit',
  repo: 'group/one',
  team: 'platform',
  author: 'ada@example.com',
  theme: 'quality',
  subcategory: 'quality.testing',
  startedAt: Date.parse('2024-02-28T10:00:00Z'),
  completedAt: null,
  day: '2024-02-28',
  churnLoc: 120,
  shares: [{ subcategory: 'quality.testing', share: 1 }],
};
const unknown: WorkUnit = { ...known, id: `${REPO}:commit:2`, churnLoc: null };

async function storedBeforeAndAfter(address: AnalyticsAddress, makeStrict: () => Promise<void>): Promise<WorkUnit[]> {
  const store = await openWorkUnitStore(address, openOptions);
  onTestFinished(() => store.close());
  await store.ensureSchema();
  await store.apply({ orgId: 'acme', repoId: REPO, units: [known], removed: [] });
  await makeStrict();
  await store.ensureSchema();
  await store.apply({ orgId: 'acme', repoId: REPO, units: [unknown], removed: [] });
  const found: WorkUnit[] = [];
  for await (const batch of store.scan('acme', REPO)) found.push(...batch);
  return found;
}

it('store units of unknown churn on PostgreSQL, and keep existing units', async () => {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  const sql = postgres(database.uri, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  const found = await storedBeforeAndAfter({ kind: 'postgres', address: database.uri }, async () => {
    await sql`alter table work_units alter column churn set not null`;
    await sql`alter table work_unit_shares alter column churn set not null`;
  });
  expect(found).toEqual([known, unknown]);
});

it('store units of unknown churn on SQLite, and keep existing units', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-released-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, 'units.db');
  const found = await storedBeforeAndAfter({ kind: 'sqlite', address: file }, () => {
    const database = new Database(file);
    for (const table of ['work_units', 'work_unit_shares']) {
      const { sql } = database.prepare('select sql from sqlite_schema where name = ?').get([table]) as { sql: string };
      const strict = sql.replace('churn integer', 'churn integer not null').replace(table, `strict_${table}`);
      database.exec(strict);
      database.exec(`insert into strict_${table} select * from ${table}; drop table ${table}`);
      database.exec(`alter table strict_${table} rename to ${table}`);
    }
    database.close();
    return Promise.resolve();
  });
  expect(found).toEqual([known, unknown]);
});

const request: WorkUnit = {
  ...known,
  id: `${REPO}:pull_request:1`,
  workType: 'pull_request',
  completedAt: Date.parse('2024-02-29T10:00:00Z'),
  phases: { pickup: 3_600_000 },
  openness: { openedAt: Date.parse('2024-02-28T10:00:00Z'), closedAt: Date.parse('2024-02-29T10:00:00Z') },
  reviewers: [{ reviewer: 'Linus "the second"', team: 'unassigned', reviews: 2 }],
  assistant: 'Claude',
  coAuthors: ['grace@example.com'],
  epic: 'Checkout',
  initiative: 'unplanned',
};
const batch: AnalyticsBatch = {
  timeseries: [],
  breakdowns: [],
  distributions: [
    {
      dimension: 'TEAM',
      measure: 'PICKUP_HOURS',
      dateRange: { startDate: '2024-02-01', endDate: '2024-02-29' },
      topN: 10,
      interval: null,
      compareWith: null,
    },
  ],
  sankey: null,
  useInvestment: false,
  scope: { level: 'ORG', ids: [] },
};

const keys: AnalyticsBatch = {
  ...batch,
  distributions: [],
  dora: { dimension: 'TEAM', dateRange: { startDate: '2024-02-01', endDate: '2024-02-29' }, topN: 10, interval: null },
};

const days = { dateRange: { startDate: '2024-02-01', endDate: '2024-02-28' }, dimension: 'TEAM', topN: 10 } as const;
const inProgress: AnalyticsBatch = { ...batch, distributions: [], workInProgress: { ...days, interval: null } };
const reviewed: AnalyticsBatch = {
  ...batch,
  distributions: [],
  reviews: { ...days, dateRange: { startDate: '2024-02-01', endDate: '2024-02-29' } },
};

const assisted: AnalyticsBatch = {
  ...batch,
  distributions: [],
  breakdowns: [{ dimension: 'ASSISTANT', measure: 'COUNT', dateRange: days.dateRange, topN: 10 }],
};
const planned: AnalyticsBatch = {
  ...assisted,
  breakdowns: [{ dimension: 'PLAN', measure: 'COUNT', dateRange: days.dateRange, topN: 10 }],
};
const coAuthored: AnalyticsBatch = {
  ...assisted,
  scope: { level: 'AUTHOR', ids: ['grace@example.com'] },
  useInvestment: true,
};

describeOnEachEngine('tables without phases', (engine) => {
  it('say that what needs new columns is not available yet, and get them with the next sync', async () => {
    const uri = await engine.newUri();
    const store = await openWorkUnitStore(parseAnalyticsUri(uri), openOptions);
    onTestFinished(() => store.close());
    await store.ensureSchema();
    await dropPhases(uri);
    const analytics = await openAnalytics(uri, { ...openOptions, timeoutSeconds: 30 });
    onTestFinished(() => analytics.close());
    const ask = (asked = batch) => analytics.run('acme', asked, new AbortController().signal);
    for (const asked of [batch, keys, inProgress, reviewed, assisted, coAuthored, planned])
      await expect(ask(asked)).rejects.toBeInstanceOf(AnalyticsUnavailable);
    await store.ensureSchema();
    await store.apply({ orgId: 'acme', repoId: REPO, units: [request], removed: [] });
    expect(await store.find('acme', request.id)).toEqual(request);
    const [answer] = (await ask()).distributions;
    expect(answer).toMatchObject({ coverage: 1, items: [{ key: 'platform', statistics: { count: 1, median: 1 } }] });
    expect((await ask(keys)).dora?.total).toMatchObject({ deploymentFrequency: { deployments: 0 } });
    expect((await ask(inProgress)).workInProgress?.total.count).toBe(1);
    expect((await ask(reviewed)).reviews?.total).toMatchObject({ requests: 1, reviews: 2, reviewers: 1 });
    for (const asked of [assisted, coAuthored])
      expect((await ask(asked)).breakdowns[0]?.items).toMatchObject([{ key: 'Claude', value: 1 }]);
    expect((await ask(planned)).breakdowns[0]?.items).toMatchObject([{ key: 'planned', value: 1 }]);
  });
});

async function dropPhases(uri: string): Promise<void> {
  const phases = ['coding_ms', 'pickup_ms', 'review_ms', 'merge_ms', 'deploy_ms', 'lead_ms'];
  const added = ['assistant', 'epic', 'initiative', 'co_authors'];
  const columns = [...phases, 'change_failed', 'opened_ms', 'closed_ms', 'reviewers', ...added];
  const { kind, address } = parseAnalyticsUri(uri);
  if (kind === 'postgres') {
    const sql = postgres(address, { max: 1, onnotice: () => undefined });
    await sql`drop index work_units_merged, work_units_deployed, work_units_opened, work_units_reviewed`;
    await sql`drop index work_units_of_days, work_unit_shares_of_days`;
    await sql`create index work_units_by_day on work_units (org_id, day)`;
    for (const column of added) await sql`alter table work_unit_shares drop column ${sql(column)}`;
    for (const column of columns) await sql`alter table work_units drop column ${sql(column)}`;
    await sql.end();
  } else if (kind === 'sqlite') {
    const database = new Database(address);
    for (const column of columns) database.exec(`alter table work_units drop column ${column}`);
    for (const column of added) database.exec(`alter table work_unit_shares drop column ${column}`);
    database.close();
  } else {
    const engine = kind === 'chdb' ? await openChdb(address, openOptions.importChdb) : openClickHouseServer(address);
    for (const column of columns) await engine.command(`alter table work_units drop column ${column}`);
    await engine.close();
  }
}
