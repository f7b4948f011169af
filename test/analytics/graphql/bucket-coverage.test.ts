import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { coverageOf } from '../../../src/analytics/graphql/bucket-coverage.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { ask, fill, smallOrganization, unit } from './served.js';

describe('The coverage of a bucket', () => {
  const range = { startDate: '2026-02-04', endDate: '2026-04-14' };
  const days = { firstDay: '2026-01-01', knownSince: '2026-01-01', knownUntil: null, today: '2026-12-01' };
  const since = (day: string) => ({ ...days, firstDay: day, knownSince: day });
  test.each([
    ['a week that begins before the range', '2026-02-02', 'WEEK', days, 'PARTIAL'],
    ['a week inside', '2026-02-09', 'WEEK', days, 'FULL'],
    ['a week that ends after the range', '2026-04-13', 'WEEK', days, 'PARTIAL'],
    ['a month that begins before the range', '2026-02-01', 'MONTH', days, 'PARTIAL'],
    ['a month inside', '2026-03-01', 'MONTH', days, 'FULL'],
    ['a day', '2026-02-04', 'DAY', days, 'FULL'],
    ['a week before the first known day', '2026-02-09', 'WEEK', since('2026-02-16'), 'NONE'],
    ['the week of the first known day', '2026-02-16', 'WEEK', since('2026-02-18'), 'PARTIAL'],
    ['a week that begins with the first known day', '2026-02-16', 'WEEK', since('2026-02-16'), 'FULL'],
    ['a week of which some work is known', '2026-02-16', 'WEEK', { ...days, knownSince: '2026-03-02' }, 'PARTIAL'],
    ['a day that is not over', '2026-03-01', 'DAY', { ...days, today: '2026-03-01' }, 'PARTIAL'],
    ['a day of the future', '2026-03-02', 'DAY', { ...days, today: '2026-03-01' }, 'NONE'],
    ['the day of the last sync', '2026-03-01', 'DAY', { ...days, knownUntil: '2026-03-01' }, 'PARTIAL'],
    ['the day before the last sync', '2026-02-28', 'DAY', { ...days, knownUntil: '2026-03-01' }, 'FULL'],
    ['the week of the last sync', '2026-03-02', 'WEEK', { ...days, knownUntil: '2026-03-04' }, 'PARTIAL'],
    ['a week after the last sync', '2026-03-09', 'WEEK', { ...days, knownUntil: '2026-03-08' }, 'NONE'],
    [
      'a day of the future that a sync has read',
      '2026-03-02',
      'DAY',
      { ...days, today: '2026-03-01', knownUntil: '2026-03-09' },
      'NONE',
    ],
    ['a bucket without any work', '2026-03-02', 'DAY', { ...days, firstDay: null, knownSince: null }, 'NONE'],
  ] as const)('%s', (_what, first, interval, known, expected) => {
    expect(coverageOf(first, interval, range, known)).toBe(expected);
  });
});

describe('Answers', () => {
  let platform: TestPlatform;
  let user: TestUser;
  beforeAll(async () => {
    platform = await startTestPlatform();
    user = await platform.signUp();
    const squashed = unit({
      id: 'squashed',
      day: '2026-03-11',
      repo: 'example/squashed',
      author: 'Ünal@example.com',
      workType: 'issue',
      startedAt: Date.parse('2026-03-11T08:00:00Z'),
      completedAt: Date.parse('2026-03-11T08:00:00Z'),
    });
    await fill(platform.databaseUri, user.orgId, [...smallOrganization, squashed]);
  });
  afterAll(() => platform.stop());

  const text = `query ($orgId: String!, $batch: AnalyticsRequestInput!) { analytics(orgId: $orgId, batch: $batch) {
    knownSince
    timeseries { dimensionValue buckets { date value coverage } }
    breakdowns { items { key value baseline } }
    distributions { items { buckets { date coverage } baseline { count } } }
    dora { buckets { date coverage } }
  } }`;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the reply is compared with what is expected
  const figures = async (batch: object): Promise<any> =>
    (await ask(platform, user, text, { batch: { timeseries: [], breakdowns: [], ...batch } })).analytics;

  test('mark the buckets of timeseries, distributions and keys that are not covered as a whole', async () => {
    const dateRange = { startDate: '2026-02-18', endDate: '2026-03-18' };
    const { knownSince, timeseries, distributions } = await figures({
      timeseries: [{ dimension: 'REPO', measure: 'COUNT', interval: 'WEEK', dateRange }],
      distributions: [{ dimension: 'WORK_TYPE', measure: 'CHURN_LOC', interval: 'MONTH', dateRange }],
    });
    const { dora } = await figures({ dora: { dimension: 'REPO', interval: 'MONTH', dateRange } });
    expect(knownSince).toBe('2026-03-02');
    expect(timeseries[0].buckets).toEqual([
      { date: '2026-02-16', value: 0, coverage: 'NONE' },
      { date: '2026-02-23', value: 0, coverage: 'NONE' },
      { date: '2026-03-02', value: 1, coverage: 'FULL' },
      { date: '2026-03-09', value: 1, coverage: 'FULL' },
      { date: '2026-03-16', value: 0, coverage: 'PARTIAL' },
    ]);
    expect(distributions[0].items[0].buckets).toEqual([{ date: '2026-03-01', coverage: 'PARTIAL' }]);
    expect(dora.buckets).toEqual([
      { date: '2026-02-01', coverage: 'NONE' },
      { date: '2026-03-01', coverage: 'PARTIAL' },
    ]);
  });

  test('count the days of a repository from its own first work', async () => {
    const dateRange = { startDate: '2026-03-01', endDate: '2026-03-31' };
    const request = { breakdowns: [{ dimension: 'TEAM', measure: 'COUNT', dateRange }] };
    expect((await figures({ ...request, filters: { repos: ['example/web'] } })).knownSince).toBe('2026-03-04');
    const scope = { level: 'REPO', ids: ['example/squashed'] };
    expect((await figures({ ...request, filters: { scope } })).knownSince).toBe('2026-03-11');
    expect((await figures({ ...request, filters: { repos: ['no/such'] } })).knownSince).toBeNull();
  });

  test('compare with the period before only if all of its days are known', async () => {
    const request = async (startDate: string): Promise<unknown> => {
      const dateRange = { startDate, endDate: '2026-03-11' };
      const { breakdowns, distributions } = await figures({
        breakdowns: [{ dimension: 'TEAM', measure: 'COUNT', dateRange, compareWith: 'PREVIOUS_PERIOD' }],
        distributions: [{ dimension: 'TEAM', measure: 'CHURN_LOC', dateRange, compareWith: 'PREVIOUS_PERIOD' }],
      });
      return [breakdowns[0].items[0].baseline, distributions[0].items[0].baseline];
    };
    expect(await request('2026-03-07')).toEqual([1, { count: 1 }]);
    expect(await request('2026-03-06')).toEqual([null, null]);
  });

  test('compare no period of which days are in the future', async () => {
    const lately = await platform.signUp();
    const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const units = [20, 7, 2].map((ago) => unit({ id: String(ago), day: day(ago), workType: 'pull_request' }));
    await fill(platform.databaseUri, lately.orgId, units);
    const baselines = async (last: number): Promise<unknown> => {
      const asked = { dateRange: { startDate: day(4), endDate: day(last) }, compareWith: 'PREVIOUS_PERIOD' };
      const batch = {
        timeseries: [],
        breakdowns: [{ dimension: 'WORK_TYPE', measure: 'COUNT', ...asked }],
        distributions: [{ measure: 'CHURN_LOC', ...asked }],
      };
      const { breakdowns, distributions } = (await ask(platform, lately, text, { batch })).analytics;
      return [breakdowns[0].items[0].baseline, distributions[0].items[0].baseline];
    };
    expect(await baselines(0)).toEqual([1, { count: 1 }]);
    expect(await baselines(-1)).toEqual([null, null]);
  });

  test('omit a mean cycle time of 0, which says that the beginning is not known', async () => {
    const dateRange = { startDate: '2026-03-01', endDate: '2026-03-31' };
    const { breakdowns, timeseries } = await figures({
      breakdowns: [{ dimension: 'WORK_TYPE', measure: 'CYCLE_TIME_HOURS', dateRange }],
      timeseries: [{ dimension: 'REPO', measure: 'CYCLE_TIME_HOURS', interval: 'DAY', dateRange }],
    });
    expect(breakdowns[0].items.map(({ key }: { key: string }) => key)).toEqual(['pull_request', 'commit']);
    const squashed = timeseries.filter(({ dimensionValue }: { dimensionValue: string }) =>
      dimensionValue.endsWith('squashed'),
    );
    expect(squashed.flatMap(({ buckets }: { buckets: unknown[] }) => buckets)).toEqual([]);
  });

  test('list the values of a dimension that contain a text', async () => {
    const values = async (dimension: string, search: string | null): Promise<unknown> => {
      const catalog = `query ($orgId: String!, $dimension: DimensionInput, $search: String) {
        catalog(orgId: $orgId, dimension: $dimension, search: $search) { values { value } } }`;
      const reply = await ask(platform, user, catalog, { dimension, search });
      return reply.catalog.values.map(({ value }: { value: string }) => value);
    };
    expect(await values('REPO', 'WEB')).toEqual(['example/web']);
    expect(await values('REPO', '%')).toEqual([]);
    expect(await values('AUTHOR', "' or 1=1 --")).toEqual([]);
    expect(await values('AUTHOR', 'ÜnAL@')).toEqual(['Ünal@example.com']);
    expect(await values('REPO', null)).toHaveLength(3);
  });
});
