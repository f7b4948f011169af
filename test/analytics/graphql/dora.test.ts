import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkUnit } from '../../../src/analytics/work-unit.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { sync } from '../../sync/harness.js';
import { ask, fill, post, unit } from './served.js';

const HOUR = 3_600_000;
const dateRange = { startDate: '2026-03-01', endDate: '2026-03-30' };

let platform: TestPlatform;
let user: TestUser;
let stranger: TestUser;

function deployment(id: string, day: string, changeFailed: boolean, given: Partial<WorkUnit> = {}): WorkUnit {
  return unit({ id, workType: 'deployment', day, changeFailed, ...given });
}

function request(id: string, day: string, leadHours: number | null, given: Partial<WorkUnit> = {}): WorkUnit {
  return unit({
    id,
    workType: 'pull_request',
    day,
    ...(leadHours === null ? {} : { phases: { lead: leadHours * HOUR } }),
    ...given,
  });
}

function incident(id: string, day: string, hours: number | null, given: Partial<WorkUnit> = {}): WorkUnit {
  const startedAt = Date.parse(`${day}T01:00:00Z`);
  return unit({
    id,
    workType: 'incident',
    day,
    startedAt,
    completedAt: hours === null ? null : startedAt + hours * HOUR,
    ...given,
  });
}

const web = { team: 'web', repo: 'example/web' };

/** Ten deployments of March by core, of which one failed; two of web, of which one failed; one long ago. */
const units: readonly WorkUnit[] = [
  ...Array.from({ length: 10 }, (_, index) => deployment(`d${index}`, `2026-03-${index + 10}`, index === 3)),
  deployment('w1', '2026-03-12', true, web),
  deployment('w2', '2026-03-13', false, web),
  deployment('old', '2026-01-02', false),
  unit({ id: 'staging', workType: 'deployment', day: '2026-03-12' }),
  request('r1', '2026-03-10', 20),
  request('r2', '2026-03-11', 30),
  request('r3', '2026-03-12', null),
  request('r4', '2026-03-12', 800, web),
  incident('i1', '2026-03-13', 0.5),
  incident('i2', '2026-03-12', 30, web),
  incident('i3', '2026-03-14', null, web),
];

beforeAll(async () => {
  platform = await startTestPlatform();
  user = await platform.signUp();
  stranger = await platform.signUp();
  await fill(platform.databaseUri, user.orgId, units);
});
afterAll(() => platform.stop());

const DURATION = '{ statistics { count median } coverage }';
const KEYS = `{ deploymentFrequency { deployments perDay } leadTime ${DURATION}
  changeFailureRate { failed rate } timeToRestore ${DURATION}
  bands { deploymentFrequency leadTime changeFailureRate timeToRestore } }`;
const ASK = `query ($orgId: String!, $batch: AnalyticsRequestInput!) { analytics(orgId: $orgId, batch: $batch) {
  dora { dimension total ${KEYS} items { key keys ${KEYS} } buckets { date keys ${KEYS} } } } }`;

function bands(
  ...[deploymentFrequency, leadTime, changeFailureRate, timeToRestore]: readonly (string | null)[]
): object {
  return { deploymentFrequency, leadTime, changeFailureRate, timeToRestore };
}

test('The keys count deployments, lead times, failures and incidents, in all and by team', async () => {
  const { analytics } = await ask(platform, user, ASK, { batch: { dora: { dateRange } } });
  expect(analytics.dora).toEqual({
    dimension: 'TEAM',
    total: {
      deploymentFrequency: { deployments: 12, perDay: 0.4 },
      leadTime: { statistics: { count: 3, median: 30 }, coverage: 0.75 },
      changeFailureRate: { failed: 2, rate: 2 / 12 },
      timeToRestore: { statistics: { count: 2, median: 0.5 }, coverage: 2 / 3 },
      bands: bands('STRONG', 'STRONG', 'MODERATE', 'STRONG'),
    },
    items: [
      {
        key: 'core',
        keys: {
          deploymentFrequency: { deployments: 10, perDay: 10 / 30 },
          leadTime: { statistics: { count: 2, median: 20 }, coverage: 2 / 3 },
          changeFailureRate: { failed: 1, rate: 0.1 },
          timeToRestore: { statistics: { count: 1, median: 0.5 }, coverage: 1 },
          bands: bands('STRONG', 'STRONG', 'STRONG', 'STRONG'),
        },
      },
      {
        key: 'web',
        keys: {
          deploymentFrequency: { deployments: 2, perDay: 2 / 30 },
          leadTime: { statistics: { count: 1, median: 800 }, coverage: 1 },
          changeFailureRate: { failed: 1, rate: 0.5 },
          timeToRestore: { statistics: { count: 1, median: 30 }, coverage: 0.5 },
          bands: bands('MODERATE', 'POOR', 'POOR', 'MODERATE'),
        },
      },
    ],
    buckets: [],
  });
});

/** The keys of days without deployments in a range that has some. */
const NONE = {
  deploymentFrequency: { deployments: 0, perDay: 0 },
  leadTime: { statistics: null, coverage: null },
  changeFailureRate: { failed: 0, rate: null },
  timeToRestore: { statistics: null, coverage: null },
  bands: bands(null, null, null, null),
};

const UNKNOWN = {
  ...NONE,
  deploymentFrequency: { deployments: null, perDay: null },
  changeFailureRate: { failed: null, rate: null },
};

test('A trend has every bucket, and divides by the days of it that are asked for', async () => {
  const days = { startDate: '2026-01-30', endDate: '2026-03-15' };
  const dora = { dimension: 'REPO', dateRange: days, interval: 'MONTH', topN: 1 };
  const { analytics } = await ask(platform, user, ASK, { batch: { dora } });
  expect(analytics.dora.dimension).toBe('REPO');
  expect(analytics.dora.items).toMatchObject([{ key: 'example/api' }]);
  expect(analytics.dora.buckets).toMatchObject([
    { date: '2026-01-01', keys: NONE },
    { date: '2026-02-01', keys: NONE },
    {
      date: '2026-03-01',
      keys: { deploymentFrequency: { deployments: 8, perDay: 8 / 15 }, bands: { deploymentFrequency: null } },
    },
  ]);
});

test('Filters select teams, and another organization has no keys', async () => {
  const batch = { dora: { dateRange }, filters: { teams: ['web'] } };
  const { analytics } = await ask(platform, user, ASK, { batch });
  expect(analytics.dora.total.deploymentFrequency.deployments).toBe(2);
  expect(analytics.dora.items).toMatchObject([{ key: 'web' }]);
  const foreign = await ask(platform, stranger, ASK, { batch: { dora: { dateRange, interval: 'WEEK' } } });
  expect(foreign.analytics.dora).toMatchObject({ total: UNKNOWN, items: [] });
});

test('Where a sync has read deployments, and none is of the range, their number is 0', async () => {
  const reader = await platform.signUp();
  const from = { provider: 'synthetic', repoName: 'a/b', date: '2026-03-31', backfill: '30' };
  await sync({ ...from, target: 'deployments', db: platform.databaseUri, org: reader.orgId });
  const days = { startDate: '2026-05-01', endDate: '2026-05-31' };
  const { analytics } = await ask(platform, reader, ASK, { batch: { dora: { dateRange: days } } });
  expect(analytics.dora.total).toEqual(NONE);
});

test('Where no deployment of the range is known, their number is not known either, and not 0', async () => {
  const days = { startDate: '2025-01-01', endDate: '2025-02-28' };
  const { analytics } = await ask(platform, user, ASK, { batch: { dora: { dateRange: days, interval: 'MONTH' } } });
  expect(analytics.dora).toMatchObject({
    total: UNKNOWN,
    items: [],
    buckets: [
      { date: '2025-01-01', keys: UNKNOWN },
      { date: '2025-02-01', keys: UNKNOWN },
    ],
  });
});

test.each([
  ['a trend and two breakdowns', { interval: 'WEEK' }, ['max_sub_requests', 10, 11]],
  ['too many items', { topN: 51 }, ['max_top_n', 50, 51]],
  [
    'too many buckets',
    { interval: 'DAY', dateRange: { startDate: '2026-01-01', endDate: '2026-06-30' } },
    ['max_buckets', 100, 181],
  ],
] as const)('Limits refuse %s', async (_what, given, [name, limit, requested]) => {
  const breakdown = { dimension: 'TEAM', measure: 'COUNT', dateRange };
  const breakdowns = name === 'max_sub_requests' ? [breakdown, breakdown] : [];
  const batch = { dora: { dateRange, ...given }, breakdowns };
  const { errors } = await post(platform, user, { body: { query: ASK, variables: { orgId: user.orgId, batch } } });
  expect(errors[0].extensions).toMatchObject({
    ...{ code: 'COST_LIMIT_EXCEEDED', limit_name: name, limit_value: limit, requested_value: requested },
  });
});
