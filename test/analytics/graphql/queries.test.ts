import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persistedQueries } from '../../../generated/graphql/schema.js';
import { DIMENSIONS, MEASURES } from '../../../src/analytics/vocabulary.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { makeSuperuser } from '../../support/superuser.js';
import { ask, fill, halfKnown, post, smallOrganization } from './served.js';

let platform: TestPlatform;
let user: TestUser;
let newcomer: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  user = await platform.signUp();
  newcomer = await platform.signUp();
});
afterAll(() => platform.stop());

const dateRange = { startDate: '2026-03-01', endDate: '2026-03-31' };
const analytics = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
  analytics(orgId: $orgId, batch: $batch) {
    timeseries { dimension dimensionValue measure buckets { date value } }
    breakdowns { dimension measure items { key value } }
    sankey { nodes { id label dimension value } edges { source target value } coverage { teamCoverage repoCoverage themeCoverage churnCoverage } }
  }
}`;

describe('Before the first sync', () => {
  test('an organization has no values, and no figures', async () => {
    const { catalog } = await ask(
      platform,
      newcomer,
      'query ($orgId: String!) { catalog(orgId: $orgId, dimension: TEAM) { values { value count } } }',
    );
    expect(catalog.values).toEqual([]);
    const batch = {
      timeseries: [{ dimension: 'TEAM', measure: 'COUNT', interval: 'WEEK', dateRange }],
      breakdowns: [{ dimension: 'TEAM', measure: 'COUNT', dateRange }],
      sankey: { path: ['TEAM', 'REPO'], measure: 'COUNT', dateRange },
    };
    const data = await ask(platform, newcomer, analytics, { batch });
    expect(data.analytics).toMatchObject({
      timeseries: [],
      breakdowns: [{ items: [] }],
      sankey: { nodes: [], edges: [] },
    });
  });
});

describe('With work units in the store', () => {
  beforeAll(() => fill(platform.databaseUri, user.orgId, smallOrganization));

  test('the catalog lists dimensions, measures and limits, and values only if requested', async () => {
    const { catalog } = await ask(
      platform,
      user,
      `query ($orgId: String!) { catalog(orgId: $orgId) {
        dimensions { name description } measures { name description } values { value count }
        limits { maxDays maxBuckets maxTopN maxSankeyNodes maxSankeyEdges maxSubRequests } } }`,
    );
    expect(catalog.dimensions.map(({ name }: { name: string }) => name)).toEqual(DIMENSIONS);
    expect(catalog.measures.map(({ name }: { name: string }) => name)).toEqual(MEASURES);
    for (const { description } of [...catalog.dimensions, ...catalog.measures])
      expect(description).toMatch(/^[A-Z].+\.$/s);
    expect(catalog.values).toBeNull();
    expect(catalog.limits).toEqual({
      maxDays: 365,
      maxBuckets: 100,
      maxTopN: 50,
      maxSankeyNodes: 100,
      maxSankeyEdges: 500,
      maxSubRequests: 10,
    });
  });

  test.each([
    [
      'TEAM',
      [
        ['core', 2],
        ['unassigned', 1],
        ['web', 1],
      ],
    ],
    [
      'REPO',
      [
        ['example/api', 3],
        ['example/web', 1],
      ],
    ],
    [
      'WORK_TYPE',
      [
        ['commit', 2],
        ['deployment', 1],
        ['pull_request', 1],
      ],
    ],
    [
      'THEME',
      [
        ['quality', 3],
        ['risk', 1],
      ],
    ],
    [
      'SUBCATEGORY',
      [
        ['quality.testing', 3],
        ['risk.security', 1],
      ],
    ],
  ])('the values of %s have their counts', async (dimension, expected) => {
    const query =
      'query ($orgId: String!, $dimension: DimensionInput) { catalog(orgId: $orgId, dimension: $dimension) { values { value count } } }';
    const { catalog } = await ask(platform, user, query, { dimension });
    expect(catalog.values.map(({ value, count }: { value: string; count: number }) => [value, count])).toEqual(
      expected,
    );
  });

  test.each(DIMENSIONS.flatMap((dimension) => MEASURES.map((measure) => ({ dimension, measure }))))(
    '$measure can be broken down by $dimension',
    async ({ dimension, measure }) => {
      const data = await ask(platform, user, analytics, {
        batch: { breakdowns: [{ dimension, measure, dateRange, topN: 50 }] },
      });
      const [{ items, ...asked }] = data.analytics.breakdowns;
      expect(asked).toEqual({ dimension, measure });
      const total = items.reduce((sum: number, { value }: { value: number }) => sum + value, 0);
      // Units a, b and c are of March; c is not complete.
      if (measure === 'COUNT') expect(total).toBe(3);
      if (measure === 'CHURN_LOC') expect(total).toBe(44);
      if (measure === 'THROUGHPUT') expect(total).toBe(2);
      if (measure === 'CYCLE_TIME_HOURS' && dimension === 'TEAM') {
        expect(items).toEqual([
          { key: 'web', value: 30 },
          { key: 'core', value: 2 },
        ]);
      }
    },
  );

  test('a timeseries has a bucket for every week, from its Monday on', async () => {
    const batch = {
      timeseries: [
        {
          dimension: 'TEAM',
          measure: 'COUNT',
          interval: 'WEEK',
          dateRange: { startDate: '2026-03-01', endDate: '2026-03-15' },
        },
      ],
    };
    const data = await ask(platform, user, analytics, { batch });
    expect(data.analytics.timeseries).toEqual([
      {
        dimension: 'TEAM',
        dimensionValue: 'core',
        measure: 'COUNT',
        buckets: [
          { date: '2026-02-23', value: 0 },
          { date: '2026-03-02', value: 1 },
          { date: '2026-03-09', value: 1 },
        ],
      },
      {
        dimension: 'TEAM',
        dimensionValue: 'web',
        measure: 'COUNT',
        buckets: [
          { date: '2026-02-23', value: 0 },
          { date: '2026-03-02', value: 1 },
          { date: '2026-03-09', value: 0 },
        ],
      },
    ]);
  });

  test.each(['DAY', 'MONTH', 'QUARTER', 'YEAR'])('a timeseries can be by %s', async (interval) => {
    const batch = { timeseries: [{ dimension: 'REPO', measure: 'CHURN_LOC', interval, dateRange }] };
    const data = await ask(platform, user, analytics, { batch });
    const [first] = data.analytics.timeseries;
    expect(first.buckets.length).toBe(interval === 'DAY' ? 31 : 1);
  });

  test('useInvestment splits a unit over its shares', async () => {
    const of = async (useInvestment: boolean): Promise<unknown> => {
      const batch = { breakdowns: [{ dimension: 'THEME', measure: 'COUNT', dateRange }], useInvestment };
      return (await ask(platform, user, analytics, { batch })).analytics.breakdowns[0].items;
    };
    expect(await of(false)).toEqual([
      { key: 'quality', value: 2 },
      { key: 'risk', value: 1 },
    ]);
    expect(await of(true)).toEqual([
      { key: 'quality', value: 2.25 },
      { key: 'risk', value: 0.75 },
    ]);
  });

  test.each([
    [{ level: 'ORG', ids: [] }, 3],
    [{}, 3],
    [{ level: 'TEAM', ids: ['web'] }, 1],
    [{ level: 'TEAM', ids: ['web', 'core'] }, 3],
    [{ level: 'REPO', ids: ['example/api'] }, 2],
    [{ level: 'AUTHOR', ids: ['kim@example.com'] }, 1],
    [{ level: 'AUTHOR', ids: ["'; drop table work_units; --"] }, 0],
    [{ level: 'TEAM' }, 3],
  ])('a filter by %j selects %i units', async (scope, count) => {
    const batch = { breakdowns: [{ dimension: 'WORK_TYPE', measure: 'COUNT', dateRange }], filters: { scope } };
    const { items } = (await ask(platform, user, analytics, { batch })).analytics.breakdowns[0];
    expect(items.reduce((sum: number, { value }: { value: number }) => sum + value, 0)).toBe(count);
  });

  test('a flow has balanced nodes and edges, and reports how much of it is assigned', async () => {
    const sankey = {
      path: ['THEME', 'TEAM'],
      measure: 'COUNT',
      dateRange: { startDate: '2026-03-01', endDate: '2026-04-30' },
      maxNodes: 50,
      maxEdges: 50,
    };
    const { nodes, edges, coverage } = (await ask(platform, user, analytics, { batch: { sankey } })).analytics.sankey;
    expect(
      new Set(
        nodes.map(({ id, dimension, label, value }: Record<string, unknown>) =>
          [id, dimension, label, value].join(' '),
        ),
      ),
    ).toEqual(
      new Set([
        'THEME:quality THEME quality 3',
        'THEME:risk THEME risk 1',
        'TEAM:core TEAM core 2',
        'TEAM:web TEAM web 1',
        'TEAM:unassigned TEAM unassigned 1',
      ]),
    );
    expect(edges).toContainEqual({ source: 'THEME:quality', target: 'TEAM:core', value: 2 });
    expect(edges.reduce((sum: number, { value }: { value: number }) => sum + value, 0)).toBe(4);
    expect(coverage).toEqual({ teamCoverage: 0.75, repoCoverage: 1, themeCoverage: 1, churnCoverage: 1 });
  });

  test('unclassified work and unknown lines are shown, but not counted in themes, sums and coverage', async () => {
    const other = await platform.signUp();
    await fill(platform.databaseUri, other.orgId, halfKnown);
    const february = { startDate: '2026-02-01', endDate: '2026-02-28' };
    for (const useInvestment of [false, true]) {
      const batch = {
        useInvestment,
        breakdowns: ['COUNT', 'CHURN_LOC'].map((measure) => ({ dimension: 'THEME', measure, dateRange: february })),
        sankey: { path: ['THEME', 'TEAM'], measure: 'COUNT', dateRange: february },
      };
      const { breakdowns, sankey } = (await ask(platform, other, analytics, { batch })).analytics;
      const [counts, lines] = breakdowns.map(({ items }: { items: unknown }) => items);
      expect(counts).toEqual([
        { key: 'quality', value: 1 },
        { key: 'unclassified', value: 1 },
      ]);
      expect(lines).toEqual([
        { key: 'quality', value: 10 },
        { key: 'unclassified', value: 0 },
      ]);
      expect(sankey.coverage).toEqual({ teamCoverage: 1, repoCoverage: 1, themeCoverage: 0.5, churnCoverage: 0.5 });
    }
    const list = `query ($orgId: String!, $input: WorkUnitsInput!) {
      workUnits(orgId: $orgId, input: $input) { items { id churnLoc } } }`;
    const input = { dateRange: february, filters: { themes: ['unclassified'] } };
    const { workUnits } = await ask(platform, other, list, { input });
    expect(workUnits.items).toEqual([{ id: 'unknown', churnLoc: null }]);
  });

  test('a batch of ten is answered in the order of its parts', async () => {
    const breakdowns = MEASURES.map((measure) => ({ dimension: 'TEAM', measure, dateRange, topN: 1 }));
    const timeseries = ['DAY', 'WEEK', 'MONTH', 'WEEK', 'DAY'].map((interval) => ({
      dimension: 'WORK_TYPE',
      measure: 'COUNT',
      interval,
      dateRange,
    }));
    const sankey = { path: DIMENSIONS, measure: 'COUNT', dateRange };
    const data = await ask(platform, user, analytics, { batch: { breakdowns, timeseries, sankey } });
    expect(data.analytics.breakdowns.map(({ measure }: { measure: string }) => measure)).toEqual(MEASURES);
    expect(data.analytics.breakdowns.map(({ items }: { items: unknown[] }) => items.length)).toEqual([1, 1, 1, 1]);
    const counts = data.analytics.timeseries.map(({ buckets }: { buckets: unknown[] }) => buckets.length);
    // Two series each, one for commits and one for pull requests.
    expect(counts).toEqual([31, 31, 6, 6, 1, 1, 6, 6, 31, 31]);
    expect(data.analytics.sankey.edges.length).toBeGreaterThanOrEqual(5);
  });

  test('aliases do not bypass the limit of sub-requests, which applies to all batches of a request', async () => {
    const query = `query ($orgId: String!, $six: AnalyticsRequestInput!, $five: AnalyticsRequestInput!) {
      one: analytics(orgId: $orgId, batch: $six) { breakdowns { measure } }
      other: analytics(orgId: $orgId, batch: $five) { breakdowns { measure } }
    }`;
    const batchOf = (length: number): object => ({
      breakdowns: Array.from({ length }, () => ({ dimension: 'TEAM', measure: 'COUNT', dateRange })),
    });
    const of = (six: number, five: number): object => ({
      body: { query, variables: { orgId: user.orgId, six: batchOf(six), five: batchOf(five) } },
    });
    expect((await post(platform, user, of(6, 4))).errors).toBeUndefined();
    expect((await post(platform, user, of(6, 5))).errors).toMatchObject([
      { path: ['other'], extensions: { limit_name: 'max_sub_requests', limit_value: 10, requested_value: 11 } },
    ]);
  });

  test('fields can be requested by aliases and fragments, and omitted', async () => {
    const data = await ask(
      platform,
      user,
      `query ($orgId: String!, $no: Boolean!) {
        teams: catalog(orgId: $orgId, dimension: TEAM) { ...values }
        repos: catalog(orgId: $orgId, dimension: REPO) { ...values limits @skip(if: true) { maxDays } }
        themes: catalog(orgId: $orgId, dimension: THEME) @include(if: $no) { ...values }
        __typename
      }
      fragment values on CatalogResult { values { value } }`,
      { no: false },
    );
    expect(Object.keys(data)).toEqual(['teams', 'repos', '__typename']);
    expect(Object.keys(data.repos)).toEqual(['values']);
  });

  test('tools can introspect the schema', async () => {
    const data = await ask(platform, user, getIntrospectionQuery());
    expect(data.__schema.queryType.name).toBe('Query');
  });

  test.each(Object.keys(persistedQueries))('the persisted query %s is answered', async (id) => {
    const { text } = persistedQueries[id as keyof typeof persistedQueries];
    const { errors, status } = await post(platform, user, {
      headers: { 'X-Persisted-Query-Id': id, 'X-Org-Id': user.orgId },
      body: {
        variables: {
          orgId: user.orgId,
          ...(text.includes('$dateRange') ? { dateRange } : {}),
          ...(text.includes('$previous') ? { previous: dateRange } : {}),
          ...(text.includes('$dimension:') ? { dimension: 'TEAM' } : {}),
          ...(text.includes('$repo:') ? { repo: 'unknown' } : {}),
          ...(text.includes('$id:') ? { id: 'unknown' } : {}),
        },
      },
    });
    expect([status, errors]).toEqual([200, undefined]);
  });

  test('a superuser reads any organization, also one unknown to the Platform', async () => {
    await fill(platform.databaseUri, 'default', smallOrganization.slice(0, 1));
    const superuser = await platform.signUp();
    await makeSuperuser(platform, superuser);
    const query = 'query ($orgId: String!) { catalog(orgId: $orgId, dimension: TEAM) { values { count } } }';
    for (const [orgId, units] of [
      ['default', 1],
      [user.orgId, 4],
      [user.orgId.toUpperCase(), 4],
    ] as const) {
      const { data } = await post(platform, superuser, { orgId, body: { query, variables: { orgId } } });
      expect(data.catalog.values.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(units);
    }
  });
});
