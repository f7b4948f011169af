import postgres from 'postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Analytics, UnitsRequest } from '../../../src/analytics/analytics.js';
import { openAnalytics } from '../../../src/analytics/open.js';
import { createEmptyDatabase, type TestDatabase } from '../../support/postgres.js';
import { openOptions } from '../engines.js';
import { fill, unit } from '../graphql/served.js';

let database: TestDatabase;
let analytics: Analytics;
let sql: postgres.Sql;
beforeEach(async () => {
  database = await createEmptyDatabase();
  await fill(database.uri, 'acme', [unit({ id: 'a' })]);
  analytics = await openAnalytics(database.uri, { timeoutSeconds: 30, log: openOptions.log });
  sql = postgres(database.uri, { max: 2 });
});
afterEach(async () => {
  await analytics.close();
  await sql.end();
  await database.drop();
});

const page: UnitsRequest = {
  dateRange: { startDate: '2026-03-02', endDate: '2026-03-02' },
  scope: { level: 'ORG', ids: [] },
  filters: {},
  ...{ useInvestment: false, completedOnly: false, order: 'DAY', descending: true, first: 10, after: null },
};

it('A page of units and their shares are of one moment, although a sync commits in between', async () => {
  const read = await sql.begin(async (writer) => {
    await writer`lock table work_unit_shares in access exclusive mode`;
    const units = analytics.units('acme', page, new AbortController().signal);
    // The page has been read, and its shares are being waited for.
    await expect
      .poll(() => sql`select 1 from pg_locks where not granted and relation = 'work_unit_shares'::regclass`)
      .toHaveLength(1);
    await writer`delete from work_unit_shares`;
    await writer`delete from work_units`;
    return { units };
  });
  const { units, total } = await read.units;
  expect([total, units.map(({ id, shares }) => [id, shares])]).toEqual([
    1,
    [['a', [{ subcategory: 'quality.testing', share: 1 }]]],
  ]);
  expect(await analytics.units('acme', page, new AbortController().signal)).toMatchObject({ units: [], total: 0 });
});
