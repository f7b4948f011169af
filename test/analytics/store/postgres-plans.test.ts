/** How PostgreSQL carries out the changes of a store that has just been filled, of which it has no statistics yet. */
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import type { WorkUnit } from '../../../src/analytics/work-unit.js';
import { startStatementCounter } from '../../support/postgres-statements.js';
import { createEmptyDatabase } from '../../support/postgres.js';
import { postgresDialect } from '../../../src/analytics/planner/dialects.js';
import { compile } from '../../../src/analytics/planner/statements.js';
import { openOptions } from '../engines.js';

const REPO = '11111111-1111-4111-8111-111111111111';

function units(count: number): WorkUnit[] {
  return Array.from({ length: count }, (_, number) => ({
    id: `${REPO}:commit:${number}`,
    workType: 'commit',
    repo: 'group/one',
    team: 'platform',
    author: 'ada@example.com',
    theme: 'quality',
    subcategory: 'quality.testing',
    startedAt: Date.parse('2024-02-28T10:00:00Z'),
    completedAt: Date.parse('2024-02-28T10:00:00Z'),
    day: '2024-02-28',
    churnLoc: 1,
    shares: [{ subcategory: 'quality.testing', share: 1 }],
  }));
}

it('reads the list of replaced units once, not once for each stored row', async () => {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  const counter = await startStatementCounter(database.uri);
  onTestFinished(() => counter.stop());
  const sql = postgres(database.uri, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  const store = await openWorkUnitStore({ kind: 'postgres', address: counter.uri }, openOptions);
  onTestFinished(() => store.close());
  await store.ensureSchema();
  await sql`alter table work_units set (autovacuum_enabled = off)`;
  await sql`alter table work_unit_shares set (autovacuum_enabled = off)`;
  await store.apply({ orgId: 'acme', repoId: REPO, units: units(3000), removed: [], areNew: true });
  counter.take();
  await store.apply({ orgId: 'acme', repoId: REPO, units: units(1000), removed: [`${REPO}:commit:2000`] });
  const deletions = counter.take().filter((statement) => statement.startsWith('delete from'));
  expect(deletions).toHaveLength(3);
  for (const deletion of deletions) {
    const plan = await sql.unsafe<{ 'QUERY PLAN': string }[]>(`explain (generic_plan) ${deletion}`);
    const conditions = plan.map((row) => row['QUERY PLAN']).filter((line) => /(Cond|Filter):/.test(line));
    expect(conditions.join('\n')).not.toMatch(/text\[\]/);
  }
});

it('has statistics of the loaded rows after the load', async () => {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  const sql = postgres(database.uri, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  const store = await openWorkUnitStore({ kind: 'postgres', address: database.uri }, openOptions);
  onTestFinished(() => store.close());
  await store.ensureSchema();
  await store.apply({ orgId: 'acme', repoId: REPO, units: units(3000), removed: [], areNew: true });
  await store.settle?.();
  const known = await sql`
    select relname, reltuples::integer as rows from pg_class
    where relname in ('work_units', 'work_unit_shares') order by relname`;
  expect([...known]).toEqual([
    { relname: 'work_unit_shares', rows: 3000 },
    { relname: 'work_units', rows: 3000 },
  ]);
});

it('finds the phases of merged requests in an index of these', async () => {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  const sql = postgres(database.uri, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  const store = await openWorkUnitStore({ kind: 'postgres', address: database.uri }, openOptions);
  onTestFinished(() => store.close());
  await store.ensureSchema();
  const merged = units(300).map((unit, number): WorkUnit => ({
    ...unit,
    id: `${REPO}:pull_request:${number}`,
    workType: 'pull_request',
    phases: { pickup: number },
  }));
  await store.apply({ orgId: 'acme', repoId: REPO, units: [...units(3000), ...merged], removed: [] });
  await sql`vacuum analyze work_units`;
  const { text, parameters } = compile(postgresDialect, {
    kind: 'distribution',
    slice: {
      orgId: 'acme',
      source: 'units',
      dateRange: { startDate: '2024-02-01', endDate: '2024-02-29' },
      scope: { level: 'TEAM', ids: ['platform'] },
      filters: {},
    },
    dimension: 'REPO',
    measure: 'PICKUP_HOURS',
    interval: 'WEEK',
    top: 10,
  });
  const values = parameters.map(({ value }) => (Array.isArray(value) ? `{${value.join(',')}}` : String(value)));
  const plan = await sql.unsafe<{ 'QUERY PLAN': string }[]>(`explain ${text}`, values);
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('work_units_merged');
});
