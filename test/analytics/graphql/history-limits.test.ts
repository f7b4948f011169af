import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { clone } from '../../sync/daily-commits.js';
import { sync } from '../../sync/harness.js';
import { ask, fill, unit } from './served.js';

let platform: TestPlatform;
let user: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  user = await platform.signUp();
  const days = ['2025-12-01', '2025-12-20', '2026-01-07', '2026-01-14'];
  const phases = { lead: 3_600_000 };
  const units = days.map((day) => unit({ id: day, day, repo: 'example/year', workType: 'pull_request', phases }));
  await fill(platform.databaseUri, user.orgId, [
    ...units,
    unit({ id: 'deployment', day: '2026-01-07', repo: 'example/year', workType: 'deployment' }),
  ]);
});
afterAll(() => platform.stop());

const text = `query ($orgId: String!, $batch: AnalyticsRequestInput!) { analytics(orgId: $orgId, batch: $batch) {
  knownSince
  knownUntil
  historyLimits { repo workType knownSince }
  timeseries { buckets { coverage } }
  breakdowns { items { baseline } }
  distributions { items { buckets { coverage } baseline { count } } }
  dora { buckets { coverage } }
} }`;

const dateRange = { startDate: '2025-12-29', endDate: '2026-01-18' };

async function figures(filters: object) {
  const measured = { dimension: 'TEAM', interval: 'WEEK', dateRange, compareWith: 'PREVIOUS_PERIOD' };
  const batch = {
    timeseries: [{ dimension: 'TEAM', measure: 'COUNT', interval: 'WEEK', dateRange }],
    breakdowns: [{ dimension: 'TEAM', measure: 'COUNT', dateRange, compareWith: 'PREVIOUS_PERIOD' }],
    distributions: [
      { ...measured, measure: 'CHURN_LOC' },
      { ...measured, measure: 'LEAD_TIME_HOURS' },
    ],
    filters,
  };
  const keys = { timeseries: [], breakdowns: [], dora: { dimension: 'TEAM', interval: 'WEEK', dateRange }, filters };
  const { analytics } = await ask(platform, user, text, { batch });
  const { dora } = (await ask(platform, user, text, { batch: keys })).analytics;
  const coverages = (buckets: readonly { readonly coverage: string }[]): string[] =>
    buckets.map(({ coverage }) => coverage);
  return {
    knownSince: analytics.knownSince,
    knownUntil: analytics.knownUntil,
    historyLimits: analytics.historyLimits,
    timeseries: coverages(analytics.timeseries[0].buckets),
    isCompared: analytics.breakdowns[0].items[0].baseline !== null,
    sizes: coverages(analytics.distributions[0].items[0].buckets),
    leadTimes: coverages(analytics.distributions[1].items[0]?.buckets ?? []),
    dora: coverages(dora.buckets),
  };
}

const whole = ['FULL', 'FULL', 'FULL'];

test('Figures say since when and until when their work is known, by repository and by type of work', async () => {
  const { databaseUri: db } = platform;
  const repoPath = clone('busy', [5, 6, 7, 8, 9]);
  await sync({ target: 'git', provider: 'local', db, org: user.orgId, repoPath, maxCommitsPerRepo: '3' });
  const limit = { repo: 'busy', workType: 'commit', knownSince: '2026-01-07' };

  expect(await figures({})).toMatchObject({
    knownSince: '2026-01-07',
    knownUntil: '2026-01-14',
    historyLimits: [limit],
    timeseries: ['PARTIAL', 'PARTIAL', 'PARTIAL'],
    isCompared: false,
    sizes: ['PARTIAL', 'PARTIAL'],
    leadTimes: ['FULL', 'FULL'],
    dora: whole,
  });
  const unlimited = {
    knownSince: '2025-12-01',
    knownUntil: null,
    historyLimits: [],
    timeseries: whole,
    isCompared: true,
  };
  expect(await figures({ repos: ['example/year'] })).toMatchObject(unlimited);
  expect(await figures({ scope: { level: 'REPO', ids: ['example/year'] } })).toMatchObject(unlimited);
  expect(await figures({ workTypes: ['pull_request'] })).toMatchObject(unlimited);
  expect(await figures({ repos: ['busy'] })).toMatchObject({
    knownSince: '2026-01-07',
    timeseries: ['NONE', 'PARTIAL', 'PARTIAL'],
  });
});

test('The days after the last sync are unknown, and not compared', async () => {
  const days = { startDate: '2026-01-13', endDate: '2026-01-15' };
  const comparedUntil = async (endDate: string): Promise<unknown> => {
    const range = { dateRange: { ...days, endDate } };
    const batch = {
      timeseries: [{ dimension: 'TEAM', measure: 'COUNT', interval: 'DAY', ...range }],
      breakdowns: [{ dimension: 'TEAM', measure: 'COUNT', compareWith: 'PREVIOUS_PERIOD', ...range }],
    };
    const { analytics } = await ask(platform, user, textOfDays, { batch });
    const [{ buckets }] = analytics.timeseries;
    return [
      buckets.map(({ coverage }: { readonly coverage: string }) => coverage),
      analytics.breakdowns[0].items[0].baseline !== null,
    ];
  };
  expect(await comparedUntil('2026-01-15')).toEqual([['FULL', 'PARTIAL', 'NONE'], true]);
  expect(await comparedUntil('2026-01-16')).toEqual([['FULL', 'PARTIAL', 'NONE', 'NONE'], false]);
});

const textOfDays = `query ($orgId: String!, $batch: AnalyticsRequestInput!) { analytics(orgId: $orgId, batch: $batch) {
  timeseries { buckets { coverage } }
  breakdowns { items { baseline } }
} }`;
