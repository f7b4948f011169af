import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { ask, fill, unit } from './served.js';

let platform: TestPlatform;
let user: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  user = await platform.signUp();
  await fill(platform.databaseUri, user.orgId, [
    unit({ id: 'claude', assistant: 'Claude', author: 'kim@example.com' }),
    unit({ id: 'copilot', assistant: 'Copilot', author: 'robin@example.com', coAuthors: ['kim@example.com'] }),
    unit({ id: 'alone', assistant: 'unassisted', author: 'robin@example.com', coAuthors: ['ada', 'kim@example.com'] }),
    unit({ id: 'unknown', author: 'robin@example.com' }),
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

async function breakdownOf(batch: Readonly<Record<string, unknown>>): Promise<unknown> {
  const query = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
    analytics(orgId: $orgId, batch: $batch) { breakdowns { items { key value } } } }`;
  const { analytics } = await ask(platform, user, query, { batch });
  return analytics.breakdowns[0].items;
}

test.each([
  [undefined, ['alone', 'claude', 'copilot', 'unknown']],
  ['INCLUDE', ['alone', 'claude', 'copilot', 'unknown']],
  ['EXCLUDE', ['alone', 'unknown']],
  ['ONLY', ['claude', 'copilot']],
])('assistants: %s lists the units %s', async (assistants, expected) => {
  expect(await idsOf({ workTypes, assistants })).toEqual(expected);
});

test('Units are filtered by the names of assistants', async () => {
  expect(await idsOf({ assistantNames: ['Claude', 'unassisted'] })).toEqual(['alone', 'claude']);
});

test('A chart shows work with each assistant, without one, and work of which nobody knows', async () => {
  const breakdowns = [{ dimension: 'ASSISTANT', measure: 'COUNT', dateRange }];
  const expected = [
    { key: '', value: 1 },
    { key: 'Claude', value: 1 },
    { key: 'Copilot', value: 1 },
    { key: 'unassisted', value: 1 },
  ];
  expect(await breakdownOf({ breakdowns, filters: { workTypes } })).toEqual(expected);
  expect(await breakdownOf({ breakdowns, filters: { workTypes }, useInvestment: true })).toEqual(expected);
});

test('The catalog lists assistants', async () => {
  const query = `query ($orgId: String!) { catalog(orgId: $orgId, dimension: ASSISTANT) { values { value } } }`;
  const { catalog } = await ask(platform, user, query);
  expect(catalog.values).toEqual([{ value: 'Claude' }, { value: 'Copilot' }, { value: 'unassisted' }]);
});

test('A list names the assistant and the co-authors of each unit', async () => {
  const query = `query ($orgId: String!, $input: WorkUnitsInput!) {
    workUnits(orgId: $orgId, input: $input) { items { id assistant coAuthors } } }`;
  const { workUnits } = await ask(platform, user, query, { input: { dateRange, filters: { workTypes } } });
  expect(workUnits.items).toEqual([
    { id: 'unknown', assistant: '', coAuthors: [] },
    { id: 'copilot', assistant: 'Copilot', coAuthors: ['kim@example.com'] },
    { id: 'claude', assistant: 'Claude', coAuthors: [] },
    { id: 'alone', assistant: 'unassisted', coAuthors: ['ada', 'kim@example.com'] },
  ]);
});

test('The scope of an author has the work that the person co-authored; a filter has their own', async () => {
  const scope = { level: 'AUTHOR', ids: ['kim@example.com'] };
  expect(await idsOf({ scope })).toEqual(['alone', 'claude', 'copilot']);
  expect(await idsOf({ authors: scope.ids })).toEqual(['claude']);
});

test('A breakdown by author counts each unit once, under its author', async () => {
  const breakdowns = [{ dimension: 'AUTHOR', measure: 'COUNT', dateRange }];
  expect(await breakdownOf({ breakdowns, filters: { workTypes } })).toEqual([
    { key: 'robin@example.com', value: 3 },
    { key: 'kim@example.com', value: 1 },
  ]);
});

test('The whole organization as a baseline has the same filter of assistants', async () => {
  const query = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
    analytics(orgId: $orgId, batch: $batch) { breakdowns { items { value baseline } } } }`;
  const breakdowns = [{ dimension: 'REPO', measure: 'COUNT', dateRange, compareWith: 'ORGANIZATION' }];
  const batch = { breakdowns, filters: { workTypes, authors: ['kim@example.com'], assistants: 'ONLY' } };
  const { analytics } = await ask(platform, user, query, { batch });
  expect(analytics.breakdowns[0].items).toEqual([{ value: 1, baseline: 2 }]);
});

test.each([
  ['EXCLUDE', 1],
  ['ONLY', null],
])("DORA's keys with assistants: %s", async (assistants, deployments) => {
  const query = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
    analytics(orgId: $orgId, batch: $batch) { dora { total { deploymentFrequency { deployments } } } } }`;
  const { analytics } = await ask(platform, user, query, { batch: { dora: { dateRange }, filters: { assistants } } });
  expect(analytics.dora.total.deploymentFrequency.deployments).toBe(deployments);
});
