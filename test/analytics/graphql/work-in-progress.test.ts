import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkUnit } from '../../../src/analytics/work-unit.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { ask, fill, post, unit } from './served.js';

const dateRange = { startDate: '2026-03-02', endDate: '2026-03-15' };

let platform: TestPlatform;
let user: TestUser;
let stranger: TestUser;

/** A request with the days of its opening and its end; it was open for the whole of the first. */
function request(id: string, opened: string, closed: string | null, given: Partial<WorkUnit> = {}): WorkUnit {
  return unit({
    id,
    workType: 'pull_request',
    day: closed ?? opened,
    completedAt: null,
    openness: {
      openedAt: Date.parse(`${opened}T00:00:00Z`),
      closedAt: closed === null ? null : Date.parse(`${closed}T12:00:00Z`),
    },
    ...given,
  });
}

const web = { team: 'web', repo: 'example/web' };

const units: readonly WorkUnit[] = [
  request('old', '2026-01-05', null),
  request('ended before', '2026-01-05', '2026-02-01'),
  request('a week', '2026-03-04', '2026-03-11'),
  request('still open', '2026-03-12', null),
  request('closed later', '2026-03-06', '2026-03-20', web),
  request('opened later', '2026-03-16', null, web),
  unit({ id: 'of a clone', workType: 'pull_request', day: '2026-03-09' }),
];

beforeAll(async () => {
  platform = await startTestPlatform();
  user = await platform.signUp();
  stranger = await platform.signUp();
  await fill(platform.databaseUri, user.orgId, units);
});
afterAll(() => platform.stop());

const WORK = '{ count ageDays { count mean median p90 } }';
const ASK = `query ($orgId: String!, $batch: AnalyticsRequestInput!) { analytics(orgId: $orgId, batch: $batch) {
  workInProgress { dimension total ${WORK} items { key work ${WORK} } buckets { date count } } } }`;

test('Requests that are open at the end of the last day count, with their age in days', async () => {
  const { analytics } = await ask(platform, user, ASK, { batch: { workInProgress: { dateRange } } });
  expect(analytics.workInProgress).toEqual({
    dimension: 'TEAM',
    total: { count: 3, ageDays: { count: 3, mean: (70 + 10 + 4) / 3, median: 10, p90: 70 } },
    items: [
      { key: 'core', work: { count: 2, ageDays: { count: 2, mean: 37, median: 4, p90: 70 } } },
      { key: 'web', work: { count: 1, ageDays: { count: 1, mean: 10, median: 10, p90: 10 } } },
    ],
    buckets: [],
  });
});

test('A trend has the open requests at the end of each bucket, and null where none is known', async () => {
  const workInProgress = { dimension: 'REPO', dateRange, interval: 'WEEK', topN: 1 };
  const { analytics } = await ask(platform, user, ASK, { batch: { workInProgress } });
  expect(analytics.workInProgress.items).toMatchObject([{ key: 'example/api', work: { count: 2 } }]);
  expect(analytics.workInProgress.buckets).toEqual([
    { date: '2026-03-02', count: 3 },
    { date: '2026-03-09', count: 3 },
  ]);
  const months = { dateRange: { startDate: '2025-12-10', endDate: '2026-03-15' }, interval: 'MONTH' };
  const long = await ask(platform, user, ASK, { batch: { workInProgress: months } });
  expect(long.analytics.workInProgress.buckets).toEqual([
    { date: '2025-12-01', count: null },
    { date: '2026-01-01', count: 2 },
    { date: '2026-02-01', count: 1 },
    { date: '2026-03-01', count: 3 },
  ]);
});

test('Filters select teams, and nothing is known of another organization', async () => {
  const batch = { workInProgress: { dateRange }, filters: { teams: ['web'] } };
  const { analytics } = await ask(platform, user, ASK, { batch });
  expect(analytics.workInProgress.total.count).toBe(1);
  const foreign = await ask(platform, stranger, ASK, { batch: { workInProgress: { dateRange, interval: 'MONTH' } } });
  expect(foreign.analytics.workInProgress).toEqual({
    ...{ dimension: 'TEAM', total: { count: null, ageDays: null }, items: [] },
    buckets: [{ date: '2026-03-01', count: null }],
  });
});

test('Nothing in progress is 0 where requests are known', async () => {
  const batch = { workInProgress: { dateRange }, filters: { teams: ['core'], repos: ['example/api'] } };
  const early = { startDate: '2026-01-05', endDate: '2026-01-05' };
  const { analytics } = await ask(platform, user, ASK, { batch: { ...batch, workInProgress: { dateRange: early } } });
  expect(analytics.workInProgress.total).toMatchObject({ count: 2, ageDays: { median: 1 } });
  await fill(platform.databaseUri, stranger.orgId, [request('done', '2026-03-03', '2026-03-04')]);
  const done = await ask(platform, stranger, ASK, { batch: { workInProgress: { dateRange } } });
  expect(done.analytics.workInProgress.total).toEqual({ count: 0, ageDays: null });
});

test.each([
  ['a trend and seven breakdowns', { interval: 'WEEK' }, 7, ['max_sub_requests', 10, 11]],
  ['too many items', { topN: 51 }, 0, ['max_top_n', 50, 51]],
  [
    'too many buckets',
    { interval: 'DAY', dateRange: { startDate: '2026-01-01', endDate: '2026-06-30' } },
    0,
    ['max_buckets', 100, 181],
  ],
] as const)('Limits refuse %s', async (_what, given, others, [name, limit, requested]) => {
  const breakdowns = Array.from({ length: others }, () => ({ dimension: 'TEAM', measure: 'COUNT', dateRange }));
  const batch = { workInProgress: { dateRange, ...given }, breakdowns };
  const { errors } = await post(platform, user, { body: { query: ASK, variables: { orgId: user.orgId, batch } } });
  expect(errors[0].extensions).toMatchObject({
    ...{ code: 'COST_LIMIT_EXCEEDED', limit_name: name, limit_value: limit, requested_value: requested },
  });
});
