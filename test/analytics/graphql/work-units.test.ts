import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { executeHere } from '../../../src/platform/sources/sync-runs/jobs/execute-here.js';
import type { StartExecution } from '../../../src/platform/sources/sync-runs/jobs/sync-job.js';
import { systemClock } from '../../../src/sync/clock.js';
import { systemRandom } from '../../../src/sync/random.js';
import { queueOf } from '../../platform/sources/sync-runs/jobs/queue.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { ask, post } from './served.js';

const executeNow: StartExecution = (job, report) =>
  executeHere(job, report, { ...systemClock, ...systemRandom, environment: process.env });

const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
const dateRange = { startDate: day(300), endDate: day(0) };

const LIST = `query ($orgId: String!, $input: WorkUnitsInput!) {
  workUnits(orgId: $orgId, input: $input) {
    nextCursor totalCount
    items { id workType title url repo team author theme subcategory shares { subcategory share } startedAt completedAt
      day churnLoc cycleTimeHours closedBy namedBy }
  }
}`;
const EXPLAIN = `query ($orgId: String!, $id: String!) {
  workUnit(orgId: $orgId, id: $id) {
    id title url shares { subcategory share } contributions { rule signal match subcategory points }
    phases { codingHours pickupHours reviewHours mergeHours deployHours leadTimeHours }
  }
}`;

let platform: TestPlatform;
let user: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform({ environment: { SYNC_JOBS: '1' }, executeSync: executeNow });
  user = await platform.signUp();
  stranger = await platform.signUp();
  const queue = queueOf(platform, user);
  const config = await queue.configure({
    targets: ['git', 'prs', 'deployments', 'incidents', 'issues'],
    repositories: ['a/b'],
  });
  const run = await queue.start(config);
  await vi.waitFor(async () => {
    expect((await queue.read(config, run)).status).toBe('complete');
  }, 100_000);
});
afterAll(() => platform.stop());

test('Units are listed on pages with their titles, each once', async () => {
  for (const order of ['DAY', 'CHURN_LOC', 'CYCLE_TIME_HOURS']) {
    for (const direction of ['ASC', 'DESC']) {
      const ids: string[] = [];
      let after: string | null = null;
      let total = 0;
      do {
        const input: object = { dateRange, order, direction, first: 100, after };
        const { workUnits } = await ask(platform, user, LIST, { input });
        for (const { id, title } of workUnits.items) {
          expect(title).toMatch(/\S/);
          ids.push(id);
        }
        after = workUnits.nextCursor;
        total = workUnits.totalCount;
      } while (after !== null);
      expect(ids.length).toBe(total);
      expect(new Set(ids).size).toBe(total);
    }
  }
});

test('Filters select the units of a figure', async () => {
  const filters = {
    scope: { level: 'REPO', ids: ['a/b'] },
    repos: ['a/b'],
    teams: ['unassigned'],
    workTypes: ['commit'],
  };
  const themes = ['quality'];
  const batch = {
    breakdowns: [{ dimension: 'THEME', measure: 'COUNT', dateRange }],
    filters: { ...filters, themes },
  };
  const query = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
    analytics(orgId: $orgId, batch: $batch) { breakdowns { items { key value } } } }`;
  const { analytics } = await ask(platform, user, query, { batch });
  const input = { dateRange, filters: { ...filters, themes }, first: 100 };
  const { workUnits } = await ask(platform, user, LIST, { input });
  expect(analytics.breakdowns[0].items).toEqual([{ key: 'quality', value: workUnits.totalCount }]);
  for (const unit of workUnits.items) expect(unit).toMatchObject({ theme: 'quality', workType: 'commit' });
  const [first] = workUnits.items;
  const one = { ...filters, authors: [first.author], subcategories: [first.subcategory] };
  const narrow = await ask(platform, user, LIST, { input: { dateRange, filters: one, useInvestment: true } });
  expect(narrow.workUnits.totalCount).toBeGreaterThan(0);
  for (const unit of narrow.workUnits.items) {
    expect(unit.author).toBe(first.author);
    expect(unit.shares.map(({ subcategory }: { subcategory: string }) => subcategory)).toContain(first.subcategory);
  }
});

test('An issue names the requests that close it, and other units name none', async () => {
  const filters = { workTypes: ['issue'] };
  const { workUnits } = await ask(platform, user, LIST, { input: { dateRange, filters, first: 100 } });
  const closed = workUnits.items.filter(({ closedBy }: { closedBy: string[] }) => closedBy.length > 0);
  expect(closed.length).toBeGreaterThan(0);
  for (const { namedBy } of workUnits.items) expect(namedBy).toEqual([]);
  for (const { id, closedBy } of closed) expect(closedBy).toEqual([id.replace(':issue:', ':pull_request:')]);
  const requests = { input: { dateRange, filters: { workTypes: ['pull_request'] }, first: 100 } };
  for (const { closedBy } of (await ask(platform, user, LIST, requests)).workUnits.items) expect(closedBy).toEqual([]);
});

test('Only completed units are listed where a figure counts no others', async () => {
  const batch = { breakdowns: [{ dimension: 'WORK_TYPE', measure: 'THROUGHPUT', dateRange }] };
  const query = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
    analytics(orgId: $orgId, batch: $batch) { breakdowns { items { key value } } } }`;
  const { analytics } = await ask(platform, user, query, { batch });
  const figures: readonly { key: string; value: number }[] = analytics.breakdowns[0].items;
  expect(figures.length).toBeGreaterThan(1);
  for (const { key, value } of figures) {
    const filters = { workTypes: [key] };
    const { workUnits } = await ask(platform, user, LIST, { input: { dateRange, filters, completedOnly: true } });
    expect({ key, value: workUnits.totalCount }).toEqual({ key, value });
    for (const unit of workUnits.items) expect(unit.completedAt).toMatch(/Z$/);
  }
  const every = await ask(platform, user, LIST, { input: { dateRange } });
  const completed = figures.reduce((sum, { value }) => sum + value, 0);
  expect(every.workUnits.totalCount).toBeGreaterThan(completed);
});

/** In hours; null is unknown. */
type Hours = Readonly<Record<string, number | null>>;

interface Listed {
  readonly id: string;
  readonly cycleTimeHours: number;
}

test('The phases of a merged request add up to its cycle time, and other units have none', async () => {
  const listed = async (type: string): Promise<readonly Listed[]> => {
    const input = { dateRange, filters: { workTypes: [type] }, completedOnly: true, first: 100 };
    return (await ask(platform, user, LIST, { input })).workUnits.items;
  };
  const phasesOf = async (id: string): Promise<Hours | null> =>
    (await ask(platform, user, EXPLAIN, { id })).workUnit.phases;
  let complete = 0;
  for (const { id, cycleTimeHours } of await listed('pull_request')) {
    const { leadTimeHours = null, deployHours = null, ...parts } = (await phasesOf(id)) ?? {};
    const known = Object.values(parts).filter((hours) => hours !== null);
    // The others were not reviewed, or not deployed.
    if (known.length < 4 || leadTimeHours === null || deployHours === null) continue;
    expect(known.reduce((sum, hours) => sum + hours, 0)).toBeCloseTo(cycleTimeHours, 6);
    expect(cycleTimeHours + deployHours).toBeCloseTo(leadTimeHours, 6);
    complete += 1;
    if (complete === 3) break;
  }
  expect(complete).toBe(3);
  const [deployment] = await listed('deployment');
  expect(await phasesOf(deployment?.id ?? '')).toBeNull();
});

test('A unit is explained by the evidence of the rules', async () => {
  const { workUnits } = await ask(platform, user, LIST, { input: { dateRange, filters: { workTypes: ['commit'] } } });
  const [unit] = workUnits.items;
  const { workUnit } = await ask(platform, user, EXPLAIN, { id: unit.id });
  expect(workUnit).toMatchObject({ id: unit.id, title: unit.title, url: null, shares: unit.shares });
  expect(workUnit.contributions.length).toBeGreaterThan(0);
  expect((await ask(platform, user, EXPLAIN, { id: 'nothing' })).workUnit).toBeNull();
});

test('Another organization cannot read the units, by any id', async () => {
  const { workUnits } = await ask(platform, user, LIST, { input: { dateRange } });
  const [{ id }] = workUnits.items;
  expect((await ask(platform, stranger, EXPLAIN, { id })).workUnit).toBeNull();
  const { workUnits: none } = await ask(platform, stranger, LIST, { input: { dateRange } });
  expect(none).toEqual({ items: [], nextCursor: null, totalCount: 0 });
  const body = { query: EXPLAIN, variables: { orgId: user.orgId, id } };
  expect((await post(platform, stranger, { body })).errors[0].extensions.code).toBe('AUTHORIZATION_ERROR');
});

test.each([
  ['input.first', { first: 1001 }],
  ['input.first', { first: 0 }],
  ['input.after', { after: 'nonsense' }],
  ['input.after', { after: Buffer.from('["DAY",true,"2026-13-77","x"]').toString('base64url') }],
  ['input.filters.teams', { filters: { teams: Array.from({ length: 101 }, (_, index) => `team ${index}`) } }],
])('%s is refused', async (field, change) => {
  const variables = { orgId: user.orgId, input: { dateRange, ...change } };
  const { errors } = await post(platform, user, { body: { query: LIST, variables } });
  expect(errors[0].extensions).toMatchObject({ code: 'VALIDATION_ERROR', field });
});
