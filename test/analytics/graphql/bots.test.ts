import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { ask, fill, unit } from './served.js';

let platform: TestPlatform;
let user: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  user = await platform.signUp();
  await fill(platform.databaseUri, user.orgId, [
    unit({ id: 'person', author: 'kim@example.com' }),
    unit({ id: 'bot', author: 'renovate[bot]' }),
    unit({ id: 'upper', author: 'KIM[BOT]' }),
    unit({ id: 'unknown', author: '' }),
    unit({ id: 'earlier', author: 'renovate[bot]', day: '2026-02-20' }),
    unit({ id: 'deployed', author: 'deploy[bot]', workType: 'deployment', changeFailed: false }),
    unit({ id: 'released', author: 'kim@example.com', workType: 'deployment', changeFailed: true }),
  ]);
});
afterAll(() => platform.stop());

const dateRange = { startDate: '2026-03-01', endDate: '2026-03-28' };
const workTypes = ['commit'];

test.each([
  [undefined, ['bot', 'person', 'unknown', 'upper']],
  ['INCLUDE', ['bot', 'person', 'unknown', 'upper']],
  ['EXCLUDE', ['person', 'unknown', 'upper']],
  ['ONLY', ['bot']],
])('bots: %s lists the units of %s', async (bots, expected) => {
  const query = `query ($orgId: String!, $input: WorkUnitsInput!) {
    workUnits(orgId: $orgId, input: $input) { items { id } totalCount } }`;
  const { workUnits } = await ask(platform, user, query, { input: { dateRange, filters: { workTypes, bots } } });
  const ids: string[] = workUnits.items.map(({ id }: { id: string }) => id);
  expect(ids.sort()).toEqual(expected);
  expect(workUnits.totalCount).toBe(expected.length);
});

test('Units without an author stay when bots are excluded', async () => {
  const query = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
    analytics(orgId: $orgId, batch: $batch) { breakdowns { items { key value } } } }`;
  const breakdowns = [{ dimension: 'AUTHOR', measure: 'COUNT', dateRange }];
  const batch = { breakdowns, filters: { workTypes, bots: 'EXCLUDE' } };
  const { analytics } = await ask(platform, user, query, { batch });
  expect(analytics.breakdowns[0].items).toEqual([
    { key: '', value: 1 },
    { key: 'KIM[BOT]', value: 1 },
    { key: 'kim@example.com', value: 1 },
  ]);
});

test('The whole organization as a baseline has the same filter of bots', async () => {
  const query = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
    analytics(orgId: $orgId, batch: $batch) { breakdowns { items { value baseline } } } }`;
  const breakdowns = [{ dimension: 'REPO', measure: 'COUNT', dateRange, compareWith: 'ORGANIZATION' }];
  const batch = { breakdowns, filters: { workTypes, authors: ['kim@example.com'], bots: 'EXCLUDE' } };
  const { analytics } = await ask(platform, user, query, { batch });
  expect(analytics.breakdowns[0].items).toEqual([{ value: 1, baseline: 3 }]);
});

test.each([
  ['INCLUDE', 2],
  ['EXCLUDE', 1],
  ['ONLY', 1],
])("DORA's keys with bots: %s", async (bots, deployments) => {
  const query = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
    analytics(orgId: $orgId, batch: $batch) { dora { total { deploymentFrequency { deployments } } } } }`;
  const { analytics } = await ask(platform, user, query, { batch: { dora: { dateRange }, filters: { bots } } });
  expect(analytics.dora.total.deploymentFrequency.deployments).toBe(deployments);
});
