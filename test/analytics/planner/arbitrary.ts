/** Generated organizations, units and batches. */
import fc, { type Arbitrary } from 'fast-check';
import {
  UNIT_ORDERS,
  type AnalyticsBatch,
  type DateRange,
  type Filters,
  type UnitsRequest,
} from '../../../src/analytics/analytics.js';
import { storedShares } from '../../../src/analytics/store/shares.js';
import {
  ASSISTANT_FILTERS,
  BASELINES,
  BOT_FILTERS,
  DIMENSIONS,
  DISTRIBUTION_MEASURES,
  INTERVALS,
  WEEK_STARTS,
  MEASURES,
  PHASES,
  SCOPE_LEVELS,
  TAXONOMY,
  WORK_TYPES,
  type Subcategory,
  type Theme,
} from '../../../src/analytics/vocabulary.js';
import type { Openness } from '../../../src/analytics/work-unit.js';
import type { OwnedUnit } from './reference.js';

export const ORGS = ['org-a', 'org-b'] as const;

// Object.entries forgets which keys there are.
const subcategories = Object.entries(TAXONOMY).flatMap(([theme, names]) =>
  names.map((name) => `${theme}.${name}` as Subcategory),
);

/** Names that engines might compare, fold or quote differently. */
const names = [
  'b',
  'B',
  'a',
  'ä',
  'é',
  'e\u0301',
  'other',
  'unassigned',
  '',
  "o'Neil",
  '\u{1f600}',
  '\uff5e',
  'a b',
  '10',
  '9',
  'renovate[bot]',
  'ä[bot]',
  '[bot]',
  'A[BOT]',
  'a[bot]b',
  'bot',
];

const assistants = ['Claude', 'Copilot', 'unassisted', ''];
const epics = ['Checkout', 'Ürün', 'unplanned', ''];

/** Around leap days, year ends, ISO years that differ from calendar years, and changes to summer time. */
const borders = ['2024-02-28', '2023-12-30', '2024-12-29', '2020-12-28', '2025-03-29', '2025-10-26', '2026-01-01'];

const day: Arbitrary<string> = fc.oneof(
  fc.tuple(fc.constantFrom(...borders), fc.integer({ min: -3, max: 5 })).map(([border, by]) => shifted(border, by)),
  fc.integer({ min: 0, max: 800 }).map((by) => shifted('2023-12-01', by)),
);

const unit: Arbitrary<Omit<OwnedUnit, 'id'>> = fc
  .record({
    orgId: fc.constantFrom(...ORGS),
    workType: fc.constantFrom(...WORK_TYPES),
    repo: fc.constantFrom(...names.slice(0, 9)),
    team: fc.constantFrom('platform', 'mobile', 'unassigned'),
    author: fc.oneof(
      fc.constantFrom(...names),
      fc.integer({ min: 0, max: 120 }).map((number) => `${number}@example.com`),
    ),
    shares: fc
      .uniqueArray(fc.constantFrom(...subcategories), { minLength: 1, maxLength: 3 })
      .chain((chosen) =>
        fc
          .array(fc.integer({ min: 1, max: 9 }), { minLength: chosen.length, maxLength: chosen.length })
          .map((weights) => chosen.map((subcategory, index) => ({ subcategory, share: weights[index] ?? 1 }))),
      ),
    day,
    duration: fc.option(fc.oneof(fc.constantFrom(0, 1, 3_600_000), fc.integer({ min: 0, max: 40_000_000_000 })), {
      nil: null,
      freq: 4,
    }),
    phases: fc.record(
      Object.fromEntries(
        PHASES.map((phase) => [phase, fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4_000_000_000 }))]),
      ),
      { requiredKeys: [] },
    ),
    fate: fc.constantFrom(true, false, false, undefined),
    // Hours from noon of the day: when a request was opened, and when it ended (null: it is open).
    open: fc.option(fc.record({ before: fc.integer({ min: -30, max: 3000 }), ended: fc.option(fc.nat(2000)) }), {
      nil: undefined,
    }),
    reviewers: fc.option(
      fc.uniqueArray(
        fc.record({
          reviewer: fc.constantFrom(...names.filter((name) => name !== '')),
          team: fc.constantFrom('platform', 'Mobile', 'unassigned', 'ä'),
          reviews: fc.integer({ min: 1, max: 4 }),
        }),
        { selector: ({ reviewer }) => reviewer, maxLength: 4 },
      ),
      { nil: undefined },
    ),
    assistant: fc.constantFrom(...assistants.slice(0, 3), undefined),
    epic: fc.constantFrom(...epics.slice(0, 3), undefined),
    initiative: fc.constantFrom(...epics.slice(0, 3), undefined),
    coAuthors: fc.option(
      fc.uniqueArray(fc.constantFrom(...names.filter((name) => name !== '')), { minLength: 1, maxLength: 3 }),
      { nil: undefined },
    ),
    churnLoc: fc.oneof(fc.constant(null), fc.constant(0), fc.integer({ min: 0, max: 5000 }), fc.constant(900_000_000)),
  })
  .map(({ duration, shares, phases, fate, open, reviewers, assistant, coAuthors, epic, initiative, ...rest }) => {
    const [first] = shares;
    const stored = storedShares(shares, first?.subcategory ?? 'quality.testing');
    const main = stored[0]?.subcategory ?? 'quality.testing';
    const startedAt = Date.parse(`${rest.day}T12:00:00Z`) - (duration ?? 0);
    return {
      ...rest,
      shares: stored,
      subcategory: main,
      // What precedes the dot is a theme.
      theme: main.slice(0, main.indexOf('.')) as Theme,
      startedAt,
      completedAt: duration === null ? null : startedAt + duration,
      ...(rest.workType === 'deployment' && fate !== undefined ? { changeFailed: fate } : {}),
      ...(rest.workType === 'pull_request' && duration !== null && Object.keys(phases).length > 0 ? { phases } : {}),
      ...(rest.workType === 'pull_request' && open !== undefined ? { openness: opennessOf(rest.day, open) } : {}),
      ...(rest.workType === 'pull_request' && reviewers !== undefined ? { reviewers } : {}),
      ...(assistant === undefined ? {} : { assistant }),
      ...(epic === undefined ? {} : { epic }),
      ...(initiative === undefined ? {} : { initiative }),
      ...(coAuthors === undefined ? {} : { coAuthors }),
    };
  });

function opennessOf(day: string, { before, ended }: { before: number; ended: number | null }): Openness {
  const openedAt = Date.parse(`${day}T12:00:00Z`) - before * 3_600_000;
  return { openedAt, closedAt: ended === null ? null : openedAt + ended * 3_600_000 };
}

/** Both organizations have units with the same ids. */
export function units(count: number): Arbitrary<readonly OwnedUnit[]> {
  return fc
    .array(unit, { minLength: count, maxLength: count })
    .map((all) =>
      all.map((each, index) => ({
        ...each,
        id: `repo:commit:${Math.floor(index / 2)}:${each.orgId === 'org-a' ? 0 : index % 2}`,
      })),
    )
    .map((all) => [...new Map(all.map((each) => [`${each.orgId} ${each.id}`, each])).values()]);
}

/** At most as long as the limits allow for the interval. */
function range(longest: number): Arbitrary<DateRange> {
  return fc
    .tuple(day, fc.oneof(fc.constantFrom(0, 1, 6, longest - 1), fc.integer({ min: 0, max: longest - 1 })))
    .map(([startDate, days]) => ({ startDate, endDate: shifted(startDate, days) }));
}

const dimension = fc.constantFrom(...DIMENSIONS);
const measure = fc.constantFrom(...MEASURES);
const compareWith = fc.constantFrom(null, null, ...BASELINES);

const themes = Object.keys(TAXONOMY);

/** Mostly of one dimension, so that something is left. */
const filters: Arbitrary<Filters> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  fc.constantFrom(...BOT_FILTERS).map((bots) => ({ bots })),
  fc.constantFrom(...ASSISTANT_FILTERS).map((assistants) => ({ assistants })),
  fc.record(
    {
      TEAM: fc.array(fc.constantFrom('platform', 'mobile', 'no such'), { maxLength: 2 }),
      REPO: fc.array(fc.constantFrom(...names), { maxLength: 6 }),
      AUTHOR: fc.array(fc.constantFrom(...names, '7@example.com'), { maxLength: 6 }),
      WORK_TYPE: fc.array(fc.constantFrom(...WORK_TYPES), { maxLength: 3 }),
      THEME: fc.array(fc.constantFrom(...themes), { maxLength: 3 }),
      SUBCATEGORY: fc.array(fc.constantFrom(...subcategories), { maxLength: 6 }),
      ASSISTANT: fc.array(fc.constantFrom(...assistants), { maxLength: 3 }),
      EPIC: fc.array(fc.constantFrom(...epics), { maxLength: 3 }),
      INITIATIVE: fc.array(fc.constantFrom(...epics), { maxLength: 3 }),
      PLAN: fc.array(fc.constantFrom('planned', 'unplanned', ''), { maxLength: 2 }),
      bots: fc.constantFrom(...BOT_FILTERS),
      assistants: fc.constantFrom(...ASSISTANT_FILTERS),
    },
    { requiredKeys: [] },
  ),
);

const scope = fc.record({
  level: fc.constantFrom(...SCOPE_LEVELS),
  ids: fc.array(fc.constantFrom('platform', 'unassigned', 'no such', ...names), { maxLength: 3 }),
});

/** Lists of units, in pages of any size. */
export const unitRequests: Arbitrary<UnitsRequest> = fc.record({
  dateRange: range(365),
  scope: fc.oneof(fc.constant({ level: 'ORG' as const, ids: [] }), scope),
  filters,
  useInvestment: fc.boolean(),
  completedOnly: fc.boolean(),
  order: fc.constantFrom(...UNIT_ORDERS),
  descending: fc.boolean(),
  first: fc.integer({ min: 20, max: 100 }),
  after: fc.constant(null),
});

/** Of figures of groups. */
const groups = {
  dimension: fc.constantFrom('TEAM' as const, 'REPO' as const),
  topN: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 50 })),
};

function rarely<Value>(arbitrary: Arbitrary<Value>): Arbitrary<Value | null> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, arbitrary);
}

export const batches: Arbitrary<AnalyticsBatch> = fc.tuple(range(100), range(365)).chain(([short, long]) => {
  // Ranges that requests have in common, so that they share queries, and others.
  const shortRange = fc.oneof(fc.constant(short), range(100));
  const longRange = fc.oneof(fc.constant(long), fc.constant(short), range(365));
  return fc.record({
    timeseries: fc.array(
      fc.constantFrom(...INTERVALS).chain((interval) =>
        fc.record({
          dimension,
          measure,
          interval: fc.constant(interval),
          dateRange: interval === 'DAY' ? shortRange : longRange,
        }),
      ),
      { maxLength: 3 },
    ),
    breakdowns: fc.array(
      fc.record({
        dimension,
        measure,
        dateRange: longRange,
        topN: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 50 })),
        compareWith,
      }),
      { maxLength: 4 },
    ),
    distributions: fc.array(
      fc.constantFrom(null, ...INTERVALS).chain((interval) =>
        fc.record({
          dimension,
          measure: fc.constantFrom(...DISTRIBUTION_MEASURES),
          dateRange: interval === 'DAY' ? shortRange : longRange,
          topN: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 50 })),
          interval: fc.constant(interval),
          compareWith,
        }),
      ),
      { maxLength: 2 },
    ),
    // Up to eleven statements: not in every batch.
    dora: rarely(
      fc.constantFrom(null, ...INTERVALS).chain((interval) =>
        fc.record({
          ...groups,
          dateRange: interval === 'DAY' ? shortRange : longRange,
          interval: fc.constant(interval),
        }),
      ),
    ),
    workInProgress: rarely(
      fc.constantFrom(null, ...INTERVALS).chain((interval) =>
        fc.record({
          ...groups,
          dateRange: interval === 'DAY' ? shortRange : longRange,
          interval: fc.constant(interval),
        }),
      ),
    ),
    reviews: rarely(fc.record({ ...groups, dateRange: longRange })),
    sankey: fc.option(
      fc.record({
        path: fc.uniqueArray(dimension, { minLength: 2, maxLength: 6 }),
        measure,
        dateRange: longRange,
        maxNodes: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 100 })),
        maxEdges: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 500 })),
      }),
      { nil: null, freq: 1 },
    ),
    useInvestment: fc.boolean(),
    scope,
    filters,
    weekStartsOn: fc.constantFrom(...WEEK_STARTS),
    timeZone: fc.constantFrom('UTC', 'Pacific/Auckland', 'America/Los_Angeles', 'Asia/Kolkata'),
  });
});

function shifted(from: string, days: number): string {
  return new Date(Date.parse(from) + days * 86_400_000).toISOString().slice(0, 10);
}
