import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnalyticsRequestInput } from '../../../generated/graphql/resolvers.js';
import { checkBatch, limits } from '../../../src/analytics/graphql/check-batch.js';
import { Refusal } from '../../../src/analytics/graphql/refusal.js';
import {
  BOT_FILTERS,
  DIMENSIONS,
  INTERVALS,
  MEASURES,
  PHASE_MEASURES,
  SCOPE_LEVELS,
  type Dimension,
} from '../../../src/analytics/vocabulary.js';

const dateRange = { startDate: '2026-01-01', endDate: '2026-01-31' };
const series = { dimension: 'TEAM', measure: 'COUNT', interval: 'DAY', dateRange } as const;
const breakdown = { dimension: 'TEAM', measure: 'COUNT', dateRange, topN: 10 } as const;
const spread = { dimension: 'TEAM', measure: 'CHURN_LOC', dateRange, topN: 10 } as const;
const flow = { path: ['THEME', 'TEAM'], measure: 'COUNT', dateRange, maxNodes: 100, maxEdges: 500 } as const;

const rules = { maxDays: 365, weekStartsOn: 'MONDAY', timeZone: 'UTC' } as const;

/** What an error of this batch says; null when the batch is good. */
function refusalOf(batch: AnalyticsRequestInput): Refusal['details'] | null {
  try {
    checkBatch(batch, { subRequests: 0 }, rules);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.details;
    throw error;
  }
}
const exceeds = (limit_name: string, limit_value: number, requested_value: number): object => ({
  code: 'COST_LIMIT_EXCEEDED',
  limit_name,
  limit_value,
  requested_value,
});
const invalid = (field: string): object => ({ code: 'VALIDATION_ERROR', field });
const lasting = (startDate: string, days: number): { startDate: string; endDate: string } => {
  const end = new Date(`${startDate}T00:00:00Z`);
  end.setUTCDate(end.getUTCDate() + days - 1);
  return { startDate, endDate: end.toISOString().slice(0, 10) };
};
const starts = fc.integer({ min: 0, max: 40_000 }).map((days) => lasting('1960-01-01', days + 1).endDate);
const beyond = fc.integer({ min: 1, max: 1000 });

describe('Limits are inclusive:', () => {
  test('days', () => {
    fc.assert(
      fc.property(starts, beyond, (start, more) => {
        fc.pre(!start.endsWith('-01-01')); // a leap year counts as 365 days
        const of = (days: number): object | null =>
          refusalOf({ breakdowns: [{ ...breakdown, dateRange: lasting(start, days) }] });
        expect(of(365)).toBeNull();
        expect(of(366)).toEqual(exceeds('max_days', 365, 366));
        expect(of(365 + more)).toEqual(exceeds('max_days', 365, 365 + more));
      }),
    );
  });

  test('buckets of a day', () => {
    fc.assert(
      fc.property(starts, (start) => {
        const of = (days: number): object | null =>
          refusalOf({ timeseries: [{ ...series, dateRange: lasting(start, days) }] });
        expect(of(100)).toBeNull();
        expect(of(101)).toEqual(exceeds('max_buckets', 100, 101));
      }),
    );
  });

  test('a year of weeks or months is always within the bucket limit', () => {
    fc.assert(
      fc.property(starts, fc.constantFrom('WEEK' as const, 'MONTH' as const), (start, interval) => {
        expect(refusalOf({ timeseries: [{ ...series, interval, dateRange: lasting(start, 365) }] })).toBeNull();
      }),
    );
  });

  test.each([
    ['max_top_n', 50, 'batch.breakdowns[0].topN', (topN: number) => ({ breakdowns: [{ ...breakdown, topN }] })],
    ['max_sankey_nodes', 100, 'batch.sankey.maxNodes', (maxNodes: number) => ({ sankey: { ...flow, maxNodes } })],
    ['max_sankey_edges', 500, 'batch.sankey.maxEdges', (maxEdges: number) => ({ sankey: { ...flow, maxEdges } })],
  ] as const)('%s', (name, limit, field, batchOf) => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (size) => {
        const expected = size < 1 ? invalid(field) : size > limit ? exceeds(name, limit, size) : null;
        expect(refusalOf(batchOf(size))).toEqual(expected);
      }),
    );
    expect([0, 1, limit, limit + 1].map((size) => refusalOf(batchOf(size)))).toEqual([
      invalid(field),
      null,
      null,
      exceeds(name, limit, limit + 1),
    ]);
  });

  test('sub-requests, of whatever kinds', () => {
    fc.assert(
      fc.property(fc.nat(15), fc.nat(15), fc.boolean(), (lines, bars, hasFlow) => {
        const count = lines + bars + (hasFlow ? 1 : 0);
        const batch = {
          timeseries: Array.from({ length: lines }, () => series),
          breakdowns: Array.from({ length: bars }, () => breakdown),
          ...(hasFlow ? { sankey: flow } : {}),
        };
        expect(refusalOf(batch)).toEqual(count > 10 ? exceeds('max_sub_requests', 10, count) : null);
      }),
    );
  });
});

describe('A distribution has the limits of its parts:', () => {
  test('days, buckets and items', () => {
    const days = (count: number) => ({ ...spread, dateRange: lasting('2025-01-01', count) });
    expect(refusalOf({ distributions: [days(365)] })).toBeNull();
    expect(refusalOf({ distributions: [days(366)] })).toEqual(exceeds('max_days', 365, 366));
    expect(refusalOf({ distributions: [{ ...days(100), interval: 'DAY' }] })).toBeNull();
    expect(refusalOf({ distributions: [{ ...days(101), interval: 'DAY' }] })).toEqual(exceeds('max_buckets', 100, 101));
    expect(refusalOf({ distributions: [{ ...spread, topN: 51 }] })).toEqual(exceeds('max_top_n', 50, 51));
    expect(refusalOf({ distributions: [{ ...spread, topN: 0 }] })).toEqual(invalid('batch.distributions[0].topN'));
  });

  test('comparisons and buckets count as sub-requests', () => {
    const full = { ...spread, interval: 'WEEK', compareWith: 'ORGANIZATION' } as const;
    const compared = { ...breakdown, compareWith: 'PREVIOUS_PERIOD' } as const;
    expect(refusalOf({ distributions: [full, full, full], timeseries: [series] })).toBeNull();
    expect(refusalOf({ distributions: [full, full, full, { ...spread, interval: 'WEEK' }] })).toEqual(
      exceeds('max_sub_requests', 10, 11),
    );
    expect(refusalOf({ breakdowns: Array.from({ length: 5 }, () => compared) })).toBeNull();
    expect(refusalOf({ breakdowns: Array.from({ length: 6 }, () => compared) })).toEqual(
      exceeds('max_sub_requests', 10, 12),
    );
  });
});

describe('An invalid batch is reported with the path of the error:', () => {
  const backwards = { startDate: '2026-01-02', endDate: '2026-01-01' };
  test.each<[string, AnalyticsRequestInput, string]>([
    [
      'a timeseries that ends before it starts',
      { timeseries: [series, { ...series, dateRange: backwards }] },
      'batch.timeseries[1].dateRange.endDate',
    ],
    [
      'a breakdown that does',
      { breakdowns: [{ ...breakdown, dateRange: backwards }] },
      'batch.breakdowns[0].dateRange.endDate',
    ],
    ['a flow that does', { sankey: { ...flow, dateRange: backwards } }, 'batch.sankey.dateRange.endDate'],
    ['a flow without levels', { sankey: { ...flow, path: [] } }, 'batch.sankey.path'],
    ['a flow of one level', { sankey: { ...flow, path: ['TEAM'] } }, 'batch.sankey.path'],
    ['a flow with a level twice', { sankey: { ...flow, path: ['TEAM', 'REPO', 'TEAM'] } }, 'batch.sankey.path[2]'],
    [
      'ids together with the whole organization',
      { filters: { scope: { level: 'ORG', ids: ['a'] } } },
      'batch.filters.scope.ids',
    ],
    ['an id with a NUL', { filters: { scope: { level: 'TEAM', ids: ['a', 'b\0'] } } }, 'batch.filters.scope.ids[1]'],
  ])('%s', (_name, batch, field) => {
    expect(refusalOf(batch)).toEqual(invalid(field));
  });
});

test('Checks come in the documented order', () => {
  const years = { startDate: '2020-01-01', endDate: '2025-01-01' };
  const wrong = {
    timeseries: [{ ...series, dateRange: { startDate: '2026-01-01', endDate: '2026-12-31' } }],
    breakdowns: [{ ...breakdown, topN: 51, dateRange: years }],
    sankey: { ...flow, path: ['TEAM'], maxNodes: 101, maxEdges: 501 } as const,
    filters: { scope: { level: 'ORG', ids: ['a'] } } as const,
  };
  const many = { ...wrong, breakdowns: Array.from({ length: 9 }, () => breakdown) };
  const codes: unknown[] = [refusalOf(many)];
  codes.push(refusalOf(wrong));
  codes.push(refusalOf({ ...wrong, timeseries: [] }));
  codes.push(refusalOf({ ...wrong, timeseries: [], breakdowns: [{ ...breakdown, topN: 51 }] }));
  codes.push(refusalOf({ ...wrong, timeseries: [], breakdowns: [] }));
  const nodes = { ...wrong.sankey, path: ['TEAM', 'REPO'] as const };
  codes.push(refusalOf({ ...wrong, timeseries: [], breakdowns: [], sankey: nodes }));
  codes.push(refusalOf({ ...wrong, timeseries: [], breakdowns: [], sankey: { ...nodes, maxNodes: 100 } }));
  codes.push(refusalOf({ filters: wrong.filters }));
  expect(codes).toEqual([
    exceeds('max_sub_requests', 10, 11),
    exceeds('max_buckets', 100, 365),
    exceeds('max_days', 365, 1828),
    exceeds('max_top_n', 50, 51),
    invalid('batch.sankey.path'),
    exceeds('max_sankey_nodes', 100, 101),
    exceeds('max_sankey_edges', 500, 501),
    invalid('batch.filters.scope.ids'),
  ]);
});

test('A valid batch is returned unchanged, with defaults filled in', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...DIMENSIONS),
      fc.constantFrom(...MEASURES),
      fc.constantFrom(...INTERVALS),
      fc.shuffledSubarray<Dimension>([...DIMENSIONS], { minLength: 2 }),
      fc.constantFrom(...SCOPE_LEVELS.filter((level) => level !== 'ORG')),
      fc.array(fc.string().filter((id) => !id.includes('\0'))),
      fc.boolean(),
      (dimension, measure, interval, path, level, ids, useInvestment) => {
        const batch = {
          timeseries: [{ dimension, measure, interval, dateRange }],
          breakdowns: [{ dimension, measure, dateRange, topN: 7 }],
          sankey: { path, measure, dateRange, maxNodes: 20, maxEdges: 30 },
          useInvestment,
        };
        expect(checkBatch({ ...batch, filters: { scope: { level, ids } } }, { subRequests: 0 }, rules)).toEqual({
          ...batch,
          breakdowns: batch.breakdowns.map((each) => ({ ...each, compareWith: null })),
          distributions: [],
          dora: null,
          workInProgress: null,
          reviews: null,
          scope: { level, ids },
          filters: {},
          weekStartsOn: 'MONDAY',
          timeZone: 'UTC',
        });
      },
    ),
  );
  const nothing = {
    timeseries: [],
    breakdowns: [],
    distributions: [],
    dora: null,
    workInProgress: null,
    reviews: null,
    sankey: null,
    useInvestment: false,
    scope: { level: 'ORG', ids: [] },
    filters: {},
    weekStartsOn: 'MONDAY',
    timeZone: 'UTC',
  };
  expect(checkBatch({}, { subRequests: 0 }, rules)).toEqual(nothing);
  expect(checkBatch({ filters: null, sankey: null }, { subRequests: 0 }, rules)).toEqual(nothing);
  expect(checkBatch({ filters: { scope: null } }, { subRequests: 0 }, rules)).toEqual(nothing);
});

describe('Figures of groups', () => {
  const phases = ['CODING_HOURS', 'PICKUP_HOURS', 'REVIEW_HOURS', 'MERGE_HOURS', 'DEPLOY_HOURS', 'LEAD_TIME_HOURS'];
  const groups: readonly (readonly [string, AnalyticsRequestInput])[] = [
    ['dora', { dora: { dateRange, topN: 10 } }],
    ['workInProgress', { workInProgress: { dateRange, topN: 10 } }],
    ['reviews', { reviews: { dateRange, topN: 10 } }],
    ...PHASE_MEASURES.map(
      (measure) => [measure, { distributions: [{ measure, dateRange, topN: 10, dimension: 'TEAM' }] }] as const,
    ),
  ];

  test.each(groups)('%s is not answered by author', (_name, batch) => {
    const ofTeam = { teams: ['core'], scope: { level: 'REPO', ids: ['a'] } } as const;
    expect(refusalOf({ ...batch, filters: ofTeam })).toBeNull();
    expect(refusalOf({ ...batch, filters: { authors: ['kim'] } })).toEqual(invalid('batch.filters.authors'));
    const scope = { level: 'AUTHOR', ids: ['kim'] } as const;
    expect(refusalOf({ ...batch, filters: { scope } })).toEqual(invalid('batch.filters.scope.level'));
  });

  test.each(groups)('%s is answered with and without bots', (_name, batch) => {
    for (const bots of BOT_FILTERS) expect(refusalOf({ ...batch, filters: { bots } })).toBeNull();
  });

  test('have no dimension of authors', () => {
    expect(PHASE_MEASURES).toEqual(phases);
    for (const measure of PHASE_MEASURES)
      expect(refusalOf({ distributions: [spread, { ...spread, measure, dimension: 'AUTHOR' }] })).toEqual(
        invalid('batch.distributions[1].dimension'),
      );
  });

  test('leave other figures by author as they are', () => {
    const filters = { authors: ['kim'], scope: { level: 'AUTHOR', ids: ['kim'] } } as const;
    const byAuthor = { ...breakdown, dimension: 'AUTHOR' } as const;
    expect(refusalOf({ breakdowns: [byAuthor], distributions: [spread], timeseries: [series], filters })).toBeNull();
  });
});

test('The limits match the documentation', () => {
  expect(limits).toEqual({
    maxBuckets: 100,
    maxTopN: 50,
    maxSankeyNodes: 100,
    maxSankeyEdges: 500,
    maxSubRequests: 10,
  });
});
