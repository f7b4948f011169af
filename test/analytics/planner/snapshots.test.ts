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

it('A page of units and their shares are of one moment, while a sync changes the units', async () => {
  const kinds = [
    { theme: 'quality', subcategory: 'quality.testing' },
    { theme: 'risk', subcategory: 'risk.security' },
  ] as const;
  const reading = { isDone: false };
  const writing = (async () => {
    for (let turn = 0; !reading.isDone; turn += 1) {
      const [kind = kinds[0]] = [kinds[turn % 2]];
      await sql.begin(async (writer) => {
        await writer`update work_units set theme = ${kind.theme}, subcategory = ${kind.subcategory}`;
        await writer`update work_unit_shares set subcategory = ${kind.subcategory}`;
      });
    }
  })();
  const disagreeing: unknown[] = [];
  for (let read = 0; read < 300; read += 1) {
    const { units } = await analytics.units('acme', page, new AbortController().signal);
    for (const { subcategory, shares } of units)
      if (shares[0]?.subcategory !== subcategory) disagreeing.push([subcategory, shares]);
  }
  reading.isDone = true;
  await writing;
  expect(disagreeing).toEqual([]);
});
