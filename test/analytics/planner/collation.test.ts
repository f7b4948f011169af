import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import { openAnalytics } from '../../../src/analytics/open.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import { createEmptyDatabase } from '../../support/postgres.js';
import { openOptions } from '../engines.js';
import { unit } from '../graphql/served.js';

/** A database whose texts sort as in English: `a` before `B`, which is the other way around by bytes. */
async function englishDatabase(): Promise<string> {
  const first = await createEmptyDatabase();
  onTestFinished(() => first.drop());
  const english = new URL(first.uri);
  english.pathname += '_english';
  const name = english.pathname.slice(1);
  const sql = postgres(first.uri, { max: 1 });
  await sql`create database ${sql(name)} template template0 locale_provider icu icu_locale 'en-US' locale 'C'`;
  onTestFinished(async () => {
    await sql`drop database ${sql(name)} with (force)`;
    await sql.end();
  });
  return english.href;
}

test('Teams of reviewers sort by bytes in a database that sorts as a language does', async () => {
  const uri = await englishDatabase();
  const store = await openWorkUnitStore(parseAnalyticsUri(uri), openOptions);
  onTestFinished(() => store.close());
  await store.ensureSchema();
  const reviewers = ['a', 'B', 'c'].map((team) => ({ reviewer: `kim@${team}`, team, reviews: 1 }));
  const units = [unit({ id: 'one', workType: 'pull_request', day: '2026-03-04', reviewers })];
  await store.apply({ orgId: 'org', repoId: '11111111-1111-4111-8111-111111111111', units, removed: [] });
  const analytics = await openAnalytics(uri, { ...openOptions, timeoutSeconds: 30 });
  onTestFinished(() => analytics.close());
  const dateRange = { startDate: '2026-03-01', endDate: '2026-03-31' };
  const scope = { level: 'ORG', ids: [] } as const;
  const batch = { timeseries: [], breakdowns: [], sankey: null, useInvestment: false, scope };
  const reviews = { dimension: 'TEAM', dateRange, topN: 10 } as const;
  const answer = await analytics.run('org', { ...batch, reviews }, new AbortController().signal);
  expect(answer.reviews?.teams.map(({ reviewingTeam }) => reviewingTeam)).toEqual(['B', 'a', 'c']);
});
