import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIMENSIONS, DISTRIBUTION_MEASURES, INTERVALS } from '../../../src/analytics/vocabulary.js';
import type { WorkUnit } from '../../../src/analytics/work-unit.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { ask, fill, post, unit } from './served.js';

let platform: TestPlatform;
let user: TestUser;
let stranger: TestUser;

const HOUR = 3_600_000;

/** A request that took so many hours and ended on that day. */
function request(id: string, day: string, hours: number, given: Partial<WorkUnit> = {}): WorkUnit {
  const completedAt = Date.parse(`${day}T12:00:00Z`);
  const startedAt = completedAt - hours * HOUR;
  return unit({ id, workType: 'pull_request', day, startedAt, completedAt, ...given });
}

/** Ten of March, nine of February; four commits that took no time at all; and one request of another team. */
const units: readonly WorkUnit[] = [
  ...Array.from({ length: 10 }, (_, index) =>
    request(`march ${index}`, `2026-03-${index + 10}`, index + 1, { churnLoc: index * 10 }),
  ),
  ...Array.from({ length: 9 }, (_, index) => request(`february ${index}`, `2026-02-${index + 10}`, 2 * (index + 1))),
  ...Array.from({ length: 4 }, (_, index) =>
    request(`commit ${index}`, '2026-03-12', 0, { workType: 'commit', churnLoc: null }),
  ),
  request('web', '2026-03-20', 100, { team: 'web', repo: 'example/web' }),
  request('open', '2026-03-21', 1, { completedAt: null }),
  ...[2, 4, 9].map((hours) =>
    request(`phased ${hours}`, '2026-01-15', hours, {
      team: hours === 9 ? 'web' : 'core',
      phases: { coding: HOUR, pickup: hours * HOUR, deploy: 0, ...(hours === 4 ? { review: HOUR, merge: HOUR } : {}) },
    }),
  ),
  request('never deployed', '2026-01-16', 1, { team: 'mobile' }),
];

beforeAll(async () => {
  platform = await startTestPlatform();
  user = await platform.signUp();
  stranger = await platform.signUp();
  await fill(platform.databaseUri, user.orgId, units);
});
afterAll(() => platform.stop());

const dateRange = { startDate: '2026-03-01', endDate: '2026-03-31' };
const ASK = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
  analytics(orgId: $orgId, batch: $batch) {
    breakdowns { items { key value baseline } }
    distributions { dimension measure items { key
      statistics { count mean median p75 p90 } buckets { date statistics { count mean median p75 p90 } }
      baseline { count mean median p75 p90 } } }
  }
}`;
const core = { scope: { level: 'TEAM', ids: ['core'] } };

test('Work types are separate, those without a known time are omitted, and percentiles are values of units', async () => {
  const batch = { distributions: [{ measure: 'CYCLE_TIME_HOURS', dateRange }], filters: core };
  const { analytics } = await ask(platform, user, ASK, { batch });
  expect(analytics.distributions).toEqual([
    {
      dimension: 'WORK_TYPE',
      measure: 'CYCLE_TIME_HOURS',
      items: [
        {
          key: 'pull_request',
          statistics: { count: 10, mean: 5.5, median: 5, p75: 8, p90: 9 },
          buckets: [],
          baseline: null,
        },
      ],
    },
  ]);
});

test('Units of unknown size are omitted, and values that have no other units', async () => {
  const batch = { distributions: [{ measure: 'CHURN_LOC', dateRange }] };
  const { analytics } = await ask(platform, user, ASK, { batch });
  // The open request has a size, and so has that of the other team.
  expect(analytics.distributions[0].items).toMatchObject([
    { key: 'pull_request', statistics: { count: 12, median: 30, p90: 80 } },
  ]);
});

interface Counted {
  readonly statistics: { readonly count: number };
}
interface Answer {
  readonly measure: string;
  readonly items: readonly (Counted & { readonly buckets: readonly Counted[] })[];
}

test('Each distribution can be bucketed by each interval, and its buckets add up', async () => {
  for (const interval of INTERVALS) {
    const requests = DISTRIBUTION_MEASURES.map((measure) => ({ measure, dateRange, interval, topN: 50 }));
    // Each counts twice towards the limit of ten.
    const answers: Answer[] = [];
    for (const distributions of [requests.slice(0, 4), requests.slice(4)]) {
      const { analytics } = await ask(platform, user, ASK, { batch: { distributions } });
      answers.push(...analytics.distributions);
    }
    expect(answers.map(({ measure }) => measure)).toEqual(DISTRIBUTION_MEASURES);
    for (const { items } of answers) {
      for (const { statistics, buckets } of items) {
        const counts = buckets.map((bucket) => bucket.statistics.count);
        expect(counts.reduce((sum, count) => sum + count)).toBe(statistics.count);
      }
    }
  }
});

test('Each dimension has distributions', async () => {
  for (const dimension of DIMENSIONS) {
    const distributions = [{ dimension, measure: 'CYCLE_TIME_HOURS', dateRange }];
    const { analytics } = await ask(platform, user, ASK, { batch: { distributions, useInvestment: true } });
    const counts = analytics.distributions[0].items.map(
      ({ statistics }: { statistics: { count: number } }) => statistics.count,
    );
    expect(counts.reduce((sum: number, count: number) => sum + count)).toBe(11);
  }
});

test('A period is compared with as many days before, and a team with the organization', async () => {
  const filters = { ...core, workTypes: ['pull_request'] };
  const march = { startDate: '2026-03-03', endDate: '2026-03-30' };
  const of = (compareWith: string): object => ({
    breakdowns: [{ dimension: 'WORK_TYPE', measure: 'THROUGHPUT', dateRange: march, compareWith }],
    distributions: [{ measure: 'CYCLE_TIME_HOURS', dateRange: march, compareWith }],
    filters,
  });
  const before = await ask(platform, user, ASK, { batch: of('PREVIOUS_PERIOD') });
  expect(before.analytics.breakdowns[0].items).toEqual([{ key: 'pull_request', value: 10, baseline: 9 }]);
  expect(before.analytics.distributions[0].items[0].baseline).toEqual({
    ...{ count: 9, mean: 10, median: 10, p75: 14, p90: 18 },
  });
  const whole = await ask(platform, user, ASK, { batch: of('ORGANIZATION') });
  expect(whole.analytics.breakdowns[0].items).toEqual([{ key: 'pull_request', value: 10, baseline: 11 }]);
  expect(whole.analytics.distributions[0].items[0].baseline).toMatchObject({ count: 11, median: 6, p90: 10 });
});

test('A value without a baseline has 0 as a sum, and null as an average and as statistics', async () => {
  const compareWith = 'PREVIOUS_PERIOD';
  const batch = {
    breakdowns: [
      { dimension: 'TEAM', measure: 'COUNT', dateRange, compareWith },
      { dimension: 'TEAM', measure: 'CYCLE_TIME_HOURS', dateRange, compareWith },
    ],
    distributions: [{ dimension: 'TEAM', measure: 'CYCLE_TIME_HOURS', dateRange, compareWith }],
    filters: { teams: ['web'] },
  };
  const { analytics } = await ask(platform, user, ASK, { batch });
  expect(analytics.breakdowns.map(({ items }: { items: unknown }) => items)).toEqual([
    [{ key: 'web', value: 1, baseline: 0 }],
    [{ key: 'web', value: 100, baseline: null }],
  ]);
  expect(analytics.distributions[0].items[0].baseline).toBeNull();
});

test('Another organization has no distribution, and no baseline', async () => {
  const batch = {
    distributions: [{ measure: 'CYCLE_TIME_HOURS', dateRange, interval: 'WEEK', compareWith: 'ORGANIZATION' }],
    breakdowns: [{ dimension: 'TEAM', measure: 'COUNT', dateRange, compareWith: 'ORGANIZATION' }],
  };
  const { analytics } = await ask(platform, stranger, ASK, { batch });
  expect(analytics).toEqual({
    breakdowns: [{ items: [] }],
    distributions: [{ dimension: 'WORK_TYPE', measure: 'CYCLE_TIME_HOURS', items: [] }],
  });
});

test('Too many comparisons are refused with the limit', async () => {
  const compared = { dimension: 'TEAM', measure: 'COUNT', dateRange, compareWith: 'ORGANIZATION' };
  const batch = { breakdowns: Array.from({ length: 6 }, () => compared) };
  const { errors } = await post(platform, user, { body: { query: ASK, variables: { orgId: user.orgId, batch } } });
  expect(errors[0].extensions).toMatchObject({
    ...{ code: 'COST_LIMIT_EXCEEDED', limit_name: 'max_sub_requests', limit_value: 10, requested_value: 12 },
  });
});

const january = { startDate: '2026-01-01', endDate: '2026-01-31' };
const PHASES = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
  analytics(orgId: $orgId, batch: $batch) {
    distributions { measure coverage items { key coverage statistics { count median } } }
  }
}`;

test('Phases are those of merged requests, and coverage says of how many they are known', async () => {
  const batch = {
    distributions: (['PICKUP_HOURS', 'REVIEW_HOURS', 'LEAD_TIME_HOURS'] as const).map((measure) => ({
      ...{ measure, dimension: 'TEAM', dateRange: january },
    })),
  };
  const { analytics } = await ask(platform, user, PHASES, { batch });
  expect(analytics.distributions).toEqual([
    {
      measure: 'PICKUP_HOURS',
      coverage: 0.75,
      items: [
        { key: 'core', coverage: 1, statistics: { count: 2, median: 2 } },
        { key: 'web', coverage: 1, statistics: { count: 1, median: 9 } },
      ],
    },
    {
      measure: 'REVIEW_HOURS',
      coverage: 0.25,
      items: [{ key: 'core', coverage: 0.5, statistics: { count: 1, median: 1 } }],
    },
    { measure: 'LEAD_TIME_HOURS', coverage: 0, items: [] },
  ]);
});

test('Coverage is null without merged requests, and counts all units for other measures', async () => {
  const of = (measure: string): object => ({ measure, dimension: 'TEAM', dateRange });
  const batch = {
    distributions: [of('PICKUP_HOURS'), of('CYCLE_TIME_HOURS')],
    filters: { workTypes: ['commit'] },
  };
  const { analytics } = await ask(platform, user, PHASES, { batch });
  expect(analytics.distributions.map(({ coverage }: { coverage: number | null }) => coverage)).toEqual([null, 0]);
  const all = await ask(platform, user, PHASES, { batch: { distributions: [of('CHURN_LOC')] } });
  // Four of the sixteen units of March have no known size.
  expect(all.analytics.distributions[0].coverage).toBe(0.75);
});
