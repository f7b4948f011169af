import { describe, expect, it } from 'vitest';
import {
  DIMENSIONS,
  DISTRIBUTION_MEASURES,
  INTERVALS,
  MEASURES,
  SCOPE_LEVELS,
  type Dimension,
  type Measure,
} from '../../../src/analytics/vocabulary.js';
import {
  clickHouseDialect,
  postgresDialect,
  sqliteDialect,
  type Dialect,
} from '../../../src/analytics/planner/dialects.js';
import { UNIT_ORDERS } from '../../../src/analytics/analytics.js';
import type { Slice } from '../../../src/analytics/planner/slices.js';
import { compile, type Query } from '../../../src/analytics/planner/statements.js';

const dialects: readonly Dialect[] = [postgresDialect, sqliteDialect, clickHouseDialect];

/** Every value that comes from a request has this in it, and none of our own texts does. */
const MARK = 'zzz';
const ORG = `${MARK}org'"\\;--{p1:String}$1?1`;

/** All measures of a series together make as many columns as there can be: 15 combinations. */
const measureSets: readonly (readonly Measure[])[] = Array.from({ length: 2 ** MEASURES.length - 1 }, (_, bits) =>
  MEASURES.filter((_measure, index) => ((bits + 1) >> index) & 1),
);

const slices: readonly Slice[] = (['units', 'shares'] as const).flatMap((source) =>
  SCOPE_LEVELS.flatMap((level) =>
    [[], [`${MARK}') or 1=1 --`, `${MARK}2`]].map((ids) => ({
      orgId: ORG,
      source,
      dateRange: { startDate: '2023-12-31', endDate: '2024-03-01' },
      scope: { level, ids },
      filters: {},
    })),
  ),
);

/** One with every filter, beside a scope. */
const filtered: readonly Slice[] = (['units', 'shares'] as const).map((source) => ({
  orgId: ORG,
  source,
  dateRange: { startDate: '2023-12-31', endDate: '2024-03-01' },
  scope: { level: 'TEAM', ids: [`${MARK}3`] },
  filters: {
    ...Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, [`${MARK}' or '1`, `${MARK}4`]])),
    bots: source === 'units' ? 'EXCLUDE' : 'ONLY',
    assistants: source === 'units' ? 'ONLY' : 'EXCLUDE',
  },
}));

const unitQueries: readonly Query[] = [
  ...slices.filter(({ source }) => source === 'units'),
  ...filtered.slice(0, 1),
].flatMap((slice) =>
  UNIT_ORDERS.flatMap((order) =>
    [true, false].flatMap((descending) =>
      [null, { key: order === 'DAY' ? '2024-01-01' : 7, id: `${MARK}id` }].flatMap((after) =>
        [{}, { THEME: [`${MARK}a`], SUBCATEGORY: [`${MARK}b`] }].flatMap((shares) =>
          (['units', 'unit-count'] as const).map((kind): Query => ({
            kind,
            slice,
            shares,
            completedOnly: descending,
            order,
            descending,
            after,
            limit: 51,
          })),
        ),
      ),
    ),
  ),
);

const QUERY_MEASURES = [...DISTRIBUTION_MEASURES, 'FAILED_CHANGES', 'RESTORE_HOURS'] as const;

function distributionsOf(slice: Slice, dimension: Dimension | null): Query[] {
  return [null, ...INTERVALS].flatMap((interval) =>
    QUERY_MEASURES.map((measure) => ({ kind: 'distribution', slice, dimension, measure, interval, top: 43 })),
  );
}

/** Statements of groups: beside the dimensions there is all as one. */
function groupQueries(slice: Slice): Query[] {
  const dimensions = [null, ...DIMENSIONS];
  return [
    ...dimensions.flatMap((dimension): Query[] => [
      { kind: 'in-progress', slice, dimension, at: 1_700_000_000_000, top: 44 },
      { kind: 'reviewed', slice, dimension, top: 45 },
      { kind: 'reviewers', slice, dimension },
    ]),
    ...(['opened', 'closed'] as const).map((event): Query => ({
      ...({
        kind: 'request-events',
        slice,
        event,
        bounds: [1_600_000_000_000, 1_650_000_000_000],
        until: 1_700_000_000_000,
      } as const),
    })),
    { kind: 'review-teams', slice, top: 46 },
    { kind: 'review-times', slice },
  ];
}

const queries: readonly Query[] = [
  ...unitQueries,
  ...[...slices, ...filtered].flatMap((slice) => (slice.source === 'shares' ? [] : groupQueries(slice))),
  ...[...slices, ...filtered]
    .filter(({ source }) => source === 'shares')
    .map((slice): Query => ({ kind: 'unit-shares', slice, ids: [`${MARK}5`] })),
  ...[...slices, ...filtered].flatMap((slice) => (slice.source === 'shares' ? [] : distributionsOf(slice, null))),
  ...[...slices, ...filtered].flatMap((slice): Query[] =>
    DIMENSIONS.flatMap((dimension): Query[] => [
      ...(slice.source === 'shares' ? [] : distributionsOf(slice, dimension)),
      ...[null, ...INTERVALS].flatMap((interval) =>
        measureSets.map((measures): Query => ({
          kind: 'series',
          slice,
          dimension,
          interval,
          tops: new Map(measures.map((measure, index) => [measure, 41 + index])),
        })),
      ),
      ...DIMENSIONS.filter((to) => to !== dimension).flatMap((to) =>
        MEASURES.flatMap((measure) =>
          [true, false].map((coverage): Query => ({
            kind: 'flow',
            slice,
            from: dimension,
            to,
            measure,
            keep: 37,
            coverage,
          })),
        ),
      ),
    ]),
  ),
  ...DIMENSIONS.flatMap((dimension): Query[] =>
    [null, "50% of '_"].map((search) => ({ kind: 'values', orgId: ORG, dimension, search, limit: 100 })),
  ),
  ...[[], ["'; drop", 'b']].map((repos): Query => ({ kind: 'first-day', orgId: ORG, repos })),
];

/** Every word that a statement of any dialect may consist of. Whatever else appears fails the test. */
const WORDS = new Set(
  `select from where and or as group by order over partition desc limit case when then else end is not null in any
   count sum dense_rank cast float8 real integer text date int32 string array final join value
   width_bucket unixepoch substr json_each tofloat64 toint32 torelativemonthnum touint32 intdiv sumif date32
   work_units work_unit_shares org_id day work_type repo team author theme subcategory churn cycle_ms weight
   assistant epic initiative co_authors jsonb ifnull
   share_weight share_theme share_subcategory share_cycle_ms
   one_share_weight one_share_theme one_share_subcategory one_share_cycle_ms
   label label1 label2 bucket units teamed housed themed measured grouped totals ranked counted node1 node2
   right endswith id share shares desc exists coalesce nullif extract epoch started_at completed_at bigint tostring day_text
   tounixtimestamp64milli hasany int64 min times upto total p50 p75 p90 listed quantilesexact quantiles selected assumenotnull
   minornull maxornull nearer position instr lower
   percentile_disc within about known all_measured all_about
   opened_ms closed_ms reviewers people person persons half cross lateral json_array_elements json review item
   collate jsonextract tuple review.1 review.2 review.3 review.4
   change_failed coding_ms pickup_ms review_ms merge_ms deploy_ms lead_ms
   sum1 sum2 sum3 sum4 divisor1 divisor2 divisor3 divisor4 value1 value2 value3 value4 rank1 rank2 rank3 rank4`.split(
    /\s+/,
  ),
);

const LITERALS = new Set([
  "'[]'",
  "'[bot]'",
  "'Array(Tuple(String, String, Int64, Int64))'",
  "'Array(String)'",
  "''",
  "'unassigned'",
  "'unassisted'",
  "'unplanned'",
  "'planned'",
  "'unclassified'",
  "'pull_request'",
  "'incident'",
  "'1970-01-01'",
]);
const NUMBERS = new Set([
  '0',
  '1',
  '4',
  '6',
  '2',
  '7',
  '12',
  '86400',
  '86400000',
  '5',
  '10',
  '200',
  '500',
  '1000000',
  '3600000',
  '3.6',
  '100',
  '1000',
  '3',
  '50',
  '75',
  '90',
  '99',
  '0.5',
  '0.75',
  '0.9',
  '0.49999999999',
  '0.74999999999',
  '0.89999999999',
]);

describe.each(dialects)('every statement that can be produced for $name', (dialect) => {
  const statements = queries.map((query) => ({ query, ...compile(dialect, query) }));

  it('is one of thousands', () => {
    expect(statements.length).toBe(
      18 * 10 * (6 * 15 + 9 * 4 * 2) + 9 * 11 * 6 * 10 + 10 * 2 + 2 + 9 * 3 * 2 * 2 * 2 * 2 + 9 + 9 * (11 * 3 + 4),
    );
  });

  /** The one alternative among the conditions: a person is the author or a co-author. Without it, none is left. */
  function withoutCoAuthors(text: string): string {
    const ids = Array.from({ length: 24 }, (_, index) => dialect.placeholder(index + 1, 'texts'));
    return ids.reduce(
      (rest, texts) => rest.replaceAll(`(${dialect.oneOf('author', texts)} or ${dialect.coAuthored(texts)})`, '1'),
      text,
    );
  }

  it('reads rows in exactly one place, which first compares the organization', () => {
    for (const { text: compiled, parameters } of statements) {
      const whole = withoutCoAuthors(compiled);
      // The days of a page are counted with the same organization first.
      const days =
        / and day [<>]= coalesce\(\(select .*? counted where nearer < [^)]+\), [^)]+\)/.exec(whole)?.[0] ?? '';
      const counted = [...days.matchAll(/from work_units final where (.*?) group by day/g)];
      expect(counted, whole).toHaveLength(days === '' ? 0 : 1);
      for (const [, where = ''] of counted) {
        expect(where, whole).toSatisfy((text: string) =>
          text.startsWith(`org_id = ${dialect.placeholder(1, 'text')} and `),
        );
        expect(where, whole).not.toMatch(/\bor\b/);
      }
      const text = whole.replace(days, '');
      // The shares of a unit are looked up by the same organization.
      const own = `from work_unit_shares share where share.org_id = ${dialect.placeholder(1, 'text')} and `;
      const reads = text.replaceAll(own, '').match(/from work_unit\w*/g) ?? [];
      expect(reads, text).toHaveLength(1);
      const plain = text.replace(dialect.reviews.from, 'work_units');
      const [, beforeWhere = '', condition = ''] =
        /from (work_unit[^()]*?) where (org_id = \S+) and /.exec(plain) ?? [];
      expect(beforeWhere, text).toMatch(/^work_unit/);
      expect(condition, text).toBe(`org_id = ${dialect.placeholder(1, 'text')}`);
      expect(parameters[0], text).toEqual({ type: 'text', value: ORG });
      // What follows only narrows it: no condition about rows is an alternative to it.
      const where = / where org_id.*?(?= group by| order by| limit|$)/.exec(text)?.[0] ?? '';
      expect(where, text).not.toMatch(/\bor\b/);
      expect(depthAtEnd(where), text).toBe(0);
      expect(text, text).not.toMatch(/\b(union|join work|with|into|delete|update|insert|settings)\b/);
    }
  });

  it('contains no text of the request', () => {
    for (const { text } of statements) expect(text).not.toContain(MARK);
  });

  it('contains only words, literals and numbers of the allow-list', () => {
    for (const { text } of statements) {
      const unknown = tokensOf(text).filter((token) => !isAllowed(token));
      expect(unknown, text).toEqual([]);
    }
  });

  it('has the same text for all requested values', () => {
    for (const { query, text } of statements) {
      expect(compile(dialect, withOtherValues(query)).text).toBe(text);
    }
  });

  it('binds as many parameters as it has placeholders', () => {
    const placeholder = { postgres: /\$(\d+)/g, sqlite: /\?(\d+)/g, clickhouse: /\{p(\d+):/g }[dialect.name];
    for (const { text, parameters } of statements) {
      const numbers = [...text.matchAll(placeholder)].map(([, number]) => Number(number));
      expect(new Set(numbers), text).toEqual(new Set(parameters.map((_, index) => index + 1)));
    }
  });
});

function withOtherValues(query: Query): Query {
  if (query.kind === 'values') return { ...query, orgId: 'another', limit: 3, search: query.search && "'" };
  if (query.kind === 'first-day') return { ...query, orgId: 'another', repos: query.repos.map(() => "'") };
  if (query.kind === 'unit-shares') return { ...query, ids: ["'", '"'] };
  if ('order' in query) return { ...query, limit: 7 };
  const { ids, level } = query.slice.scope;
  const slice: Slice = {
    ...query.slice,
    orgId: 'another',
    dateRange: { startDate: '1999-05-05', endDate: '1999-06-30' },
    scope: { level, ids: ids.map(() => "'") },
    filters: query.slice.filters,
  };
  if (query.kind === 'in-progress') return { ...query, slice, at: 5, top: 2 };
  if (query.kind === 'request-events') return { ...query, slice, bounds: [5, 6], until: 7 };
  if (query.kind === 'reviewers' || query.kind === 'review-times') return { ...query, slice };
  if (query.kind === 'reviewed' || query.kind === 'review-teams') return { ...query, slice, top: 2 };
  if (query.kind === 'flow') return { ...query, slice, keep: 2 };
  if (query.kind === 'distribution') return { ...query, slice, top: 2 };
  return { ...query, slice, tops: new Map([...query.tops].map(([measure, top]) => [measure, top + 5])) };
}

function depthAtEnd(text: string): number {
  return (text.match(/\(/g) ?? []).length - (text.match(/\)/g) ?? []).length;
}

function tokensOf(text: string): readonly string[] {
  return text.match(/'[^']*'|"C"|\$\d+|\?\d+|\?\||\{p\d+:|\w+(?:\.\d+)?|[^\s\w]/g) ?? [];
}

function isAllowed(token: string): boolean {
  if (token.startsWith("'")) return LITERALS.has(token);
  if (token === '"C"' || token === '?|') return true;
  if (/^(\$|\?|\{p)\d/.test(token)) return true;
  if (/^\d/.test(token)) return NUMBERS.has(token);
  if (/^\w/.test(token)) return WORDS.has(token.toLowerCase());
  return '(),.*=<>/+-:[]}'.includes(token);
}
