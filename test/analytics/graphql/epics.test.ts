/** Epics, initiatives and planned work in the figures. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { ask, fill, unit } from './served.js';

let platform: TestPlatform;
let user: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  user = await platform.signUp();
  await fill(platform.databaseUri, user.orgId, [
    unit({ id: 'cart', epic: 'Checkout', initiative: 'Growth', author: 'kim@example.com' }),
    unit({ id: 'pay', epic: 'Checkout', initiative: 'Growth' }),
    unit({ id: 'find', epic: 'Search', repo: 'acme/search' }),
    unit({ id: 'mend', epic: 'unplanned', initiative: 'unplanned' }),
    unit({ id: 'unknown' }),
    unit({ id: 'deployed', workType: 'deployment', changeFailed: false }),
  ]);
});
afterAll(() => platform.stop());

const dateRange = { startDate: '2026-03-01', endDate: '2026-03-28' };
const workTypes = ['commit'];

async function idsOf(filters: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const query = `query ($orgId: String!, $input: WorkUnitsInput!) {
    workUnits(orgId: $orgId, input: $input) { items { id } totalCount } }`;
  const { workUnits } = await ask(platform, user, query, { input: { dateRange, filters } });
  const ids: string[] = workUnits.items.map(({ id }: { id: string }) => id);
  expect(workUnits.totalCount).toBe(ids.length);
  return ids.sort();
}

test.each([
  [{ epics: ['Checkout'] }, ['cart', 'pay']],
  [{ epics: ['Search', 'unplanned'] }, ['find', 'mend']],
  [{ initiatives: ['Growth'] }, ['cart', 'pay']],
  [{ plans: ['planned'] }, ['cart', 'find', 'pay']],
  [{ plans: ['unplanned'] }, ['mend']],
  [{ plans: ['planned', ''], workTypes }, ['cart', 'find', 'pay', 'unknown']],
  [{ plans: [], workTypes }, ['cart', 'find', 'mend', 'pay', 'unknown']],
])('the filters %j list the units %j', async (filters, expected) => {
  expect(await idsOf(filters)).toEqual(expected);
});

test.each([
  ['EPIC', { Checkout: 2, '': 1, Search: 1, unplanned: 1 }],
  ['INITIATIVE', { '': 2, Growth: 2, unplanned: 1 }],
  ['PLAN', { planned: 3, '': 1, unplanned: 1 }],
])(
  'A chart by %s shows work on each value, unplanned work, and work of which nobody knows',
  async (dimension, counts) => {
    const query = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
    analytics(orgId: $orgId, batch: $batch) { breakdowns { items { key value } } } }`;
    const breakdowns = [{ dimension, measure: 'COUNT', dateRange }];
    for (const useInvestment of [false, true]) {
      const batch = { breakdowns, filters: { workTypes }, useInvestment };
      const { analytics } = await ask(platform, user, query, { batch });
      const items: { key: string; value: number }[] = analytics.breakdowns[0].items;
      expect(Object.fromEntries(items.map(({ key, value }) => [key, value]))).toEqual(counts);
    }
  },
);

test.each([
  ['EPIC', ['Checkout', 'Search', 'unplanned']],
  ['PLAN', ['planned', 'unplanned']],
])('The catalog lists the values of %s', async (dimension, values) => {
  const query = `query ($orgId: String!, $dimension: DimensionInput!) {
    catalog(orgId: $orgId, dimension: $dimension) { values { value } } }`;
  const { catalog } = await ask(platform, user, query, { dimension });
  expect(catalog.values).toEqual(values.map((value) => ({ value })));
});

test('A list names the epic and the initiative of each unit', async () => {
  const query = `query ($orgId: String!, $input: WorkUnitsInput!) {
    workUnits(orgId: $orgId, input: $input) { items { id epic initiative } } }`;
  const filters = { authors: ['kim@example.com'] };
  const { workUnits } = await ask(platform, user, query, { input: { dateRange, filters } });
  expect(workUnits.items).toEqual([{ id: 'cart', epic: 'Checkout', initiative: 'Growth' }]);
  const searched = await ask(platform, user, query, { input: { dateRange, filters: { repos: ['acme/search'] } } });
  expect(searched.workUnits.items).toEqual([{ id: 'find', epic: 'Search', initiative: '' }]);
});

test('The whole organization as a baseline has the same filter of planned work', async () => {
  const query = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
    analytics(orgId: $orgId, batch: $batch) { breakdowns { items { value baseline } } } }`;
  const breakdowns = [{ dimension: 'WORK_TYPE', measure: 'COUNT', dateRange, compareWith: 'ORGANIZATION' }];
  const batch = { breakdowns, filters: { repos: ['acme/search'], plans: ['planned'] } };
  const { analytics } = await ask(platform, user, query, { batch });
  expect(analytics.breakdowns[0].items).toEqual([{ value: 1, baseline: 3 }]);
});

test("DORA's keys accept a filter of planned work", async () => {
  const query = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
    analytics(orgId: $orgId, batch: $batch) { dora { total { deploymentFrequency { deployments } } } } }`;
  const batch = { dora: { dateRange }, filters: { plans: [''] } };
  const { analytics } = await ask(platform, user, query, { batch });
  expect(analytics.dora.total.deploymentFrequency.deployments).toBe(1);
});
