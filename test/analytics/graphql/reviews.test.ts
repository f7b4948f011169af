import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reviewer, WorkUnit } from '../../../src/analytics/work-unit.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { ask, fill, post, unit } from './served.js';

const HOUR = 3_600_000;
const dateRange = { startDate: '2026-03-01', endDate: '2026-03-31' };

let platform: TestPlatform;
let user: TestUser;
let stranger: TestUser;

/** Reviewers whose name says their team, as in `web/kim`. */
function request(id: string, by: Readonly<Record<string, number>> | null, given: Partial<WorkUnit> = {}): WorkUnit {
  const reviewers = Object.entries(by ?? {}).map(([reviewer, reviews]): Reviewer => ({
    reviewer,
    team: reviewer.split('/')[0] ?? '',
    reviews,
  }));
  return unit({ id, workType: 'pull_request', ...(by === null ? {} : { reviewers }), ...given });
}

const web = { team: 'web', repo: 'example/web' };

/** Kim gives six of nine reviews of core. */
const units: readonly WorkUnit[] = [
  request('1', { 'core/kim': 4, 'web/lee': 1 }, { churnLoc: 9, phases: { pickup: 2 * HOUR, review: HOUR } }),
  request('2', { 'core/kim': 2, 'core/ann': 1, 'web/lee': 1 }, { churnLoc: 10, phases: { pickup: HOUR, review: 0 } }),
  request('3', {}, { churnLoc: 1000 }),
  request('4', { 'core/kim': 1 }, { ...web, churnLoc: null, phases: { pickup: 5 * HOUR, review: 5 * HOUR } }),
  request('of a clone', null, { churnLoc: 10 }),
  request('open', { 'web/lee': 1 }, { ...web, completedAt: null, churnLoc: 10 }),
  request('long ago', { 'web/lee': 9 }, { day: '2025-12-01' }),
];

beforeAll(async () => {
  platform = await startTestPlatform();
  user = await platform.signUp();
  stranger = await platform.signUp();
  await fill(platform.databaseUri, user.orgId, units);
});
afterAll(() => platform.stop());

const LOAD = '{ requests reviewedShare reviews reviewers halfOfReviewsBy }';
const ASK = `query ($orgId: String!, $batch: AnalyticsRequestInput!) { analytics(orgId: $orgId, batch: $batch) {
  reviews { dimension total ${LOAD} items { key load ${LOAD} } teams { team reviewingTeam reviews requests }
    sizes { fromLines toLines statistics { count median } coverage } } } }`;

test('Reviews are counted in all, by team, and between teams; nobody is named', async () => {
  const { analytics } = await ask(platform, user, ASK, { batch: { reviews: { dateRange } } });
  const { dimension, total, items, teams } = analytics.reviews;
  expect(dimension).toBe('TEAM');
  expect(total).toEqual({ requests: 5, reviewedShare: 0.8, reviews: 11, reviewers: 3, halfOfReviewsBy: 1 });
  expect(items).toEqual([
    { key: 'core', load: { requests: 3, reviewedShare: 2 / 3, reviews: 9, reviewers: 3, halfOfReviewsBy: 1 } },
    { key: 'web', load: { requests: 2, reviewedShare: 1, reviews: 2, reviewers: 2, halfOfReviewsBy: 1 } },
  ]);
  expect(teams).toEqual([
    { team: 'core', reviewingTeam: 'core', reviews: 7, requests: 2 },
    { team: 'core', reviewingTeam: 'web', reviews: 2, requests: 2 },
    { team: 'web', reviewingTeam: 'core', reviews: 1, requests: 1 },
    { team: 'web', reviewingTeam: 'web', reviews: 1, requests: 1 },
  ]);
  expect(JSON.stringify(analytics)).not.toMatch(/kim|lee|ann/);
});

test('Times of reviews are grouped by the lines of merged requests', async () => {
  const { analytics } = await ask(platform, user, ASK, { batch: { reviews: { dateRange } } });
  expect(analytics.reviews.sizes).toEqual([
    { fromLines: null, toLines: null, statistics: { count: 1, median: 10 }, coverage: 1 },
    { fromLines: 0, toLines: 9, statistics: { count: 1, median: 3 }, coverage: 1 },
    { fromLines: 10, toLines: 49, statistics: { count: 1, median: 1 }, coverage: 0.5 },
    { fromLines: 1000, toLines: null, statistics: null, coverage: 0 },
  ]);
});

test('Requests without a review have a share of 0; nothing is known without requests of a host', async () => {
  const alone = { batch: { reviews: { dateRange }, filters: { repos: ['example/none'] } } };
  expect((await ask(platform, user, ASK, alone)).analytics.reviews).toEqual({
    ...{ dimension: 'TEAM', total: null, items: [], teams: [], sizes: [] },
  });
  await fill(platform.databaseUri, stranger.orgId, [request('unread', {}, web)]);
  const { analytics } = await ask(platform, stranger, ASK, { batch: { reviews: { dateRange, dimension: 'REPO' } } });
  const load = { requests: 1, reviewedShare: 0, reviews: 0, reviewers: 0, halfOfReviewsBy: null };
  expect(analytics.reviews).toMatchObject({ total: load, items: [{ key: 'example/web', load }], teams: [] });
});

test.each([
  ['reviews and five breakdowns', {}, 5, ['max_sub_requests', 10, 11]],
  ['too many items', { topN: 51 }, 0, ['max_top_n', 50, 51]],
  ['too many days', { dateRange: { startDate: '2025-01-01', endDate: '2026-06-30' } }, 0, ['max_days', 365, 546]],
] as const)('Limits refuse %s', async (_what, given, others, [name, limit, requested]) => {
  const breakdowns = Array.from({ length: others }, () => ({ dimension: 'TEAM', measure: 'COUNT', dateRange }));
  const batch = { reviews: { dateRange, ...given }, breakdowns };
  const { errors } = await post(platform, user, { body: { query: ASK, variables: { orgId: user.orgId, batch } } });
  expect(errors[0].extensions).toMatchObject({
    ...{ code: 'COST_LIMIT_EXCEEDED', limit_name: name, limit_value: limit, requested_value: requested },
  });
});
