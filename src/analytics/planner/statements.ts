/** Parameterized SQL, composed of the primitives of a dialect. Values of a request are always parameters. */
import type { Filters, UnitOrder, UnitPosition } from '../analytics.js';
import { FIRST_DAY, LAST_DAY } from '../store/rows.js';
import { UNASSIGNED, UNCLASSIFIED, type Dimension, type Interval, type Measure } from '../vocabulary.js';
import type { Dialect, Source } from './dialects.js';
import { distribution, type DistributionQuery } from './distribution-statement.js';
import { inProgress, requestEvents, type InProgressQuery, type RequestEventsQuery } from './in-progress-statements.js';
import { reviewStatement, type ReviewQuery } from './review-statements.js';
import {
  bucketColumn,
  conditions,
  filteredDimensions,
  filtersOf,
  type Bind,
  type Parameter,
  type Slice,
} from './slices.js';
import { isMean, valueExpression } from './values.js';

/** Sums by bucket and value of a dimension, for the values that are largest by any of the measures. */
export interface SeriesQuery {
  readonly kind: 'series';
  readonly slice: Slice;
  readonly dimension: Dimension;
  /** Null: the whole range is one bucket. */
  readonly interval: Interval | null;
  /** The number of largest values for each measure. */
  readonly tops: ReadonlyMap<Measure, number>;
}

/** Sums by the values of two dimensions; values beyond the largest of each are merged. */
export interface FlowQuery {
  readonly kind: 'flow';
  readonly slice: Slice;
  readonly from: Dimension;
  readonly to: Dimension;
  readonly measure: Measure;
  /** The number of values that are kept of each dimension. */
  readonly keep: number;
  /** Whether units with a team and with a repository are counted, too. */
  readonly coverage: boolean;
}

/** The most frequent values of a dimension. */
export interface ValuesQuery {
  readonly kind: 'values';
  readonly orgId: string;
  readonly dimension: Dimension;
  /** Null: all; otherwise those that contain this text. */
  readonly search: string | null;
  readonly limit: number;
}

/** The first day of a unit. */
export interface FirstDayQuery {
  readonly kind: 'first-day';
  readonly orgId: string;
  /** None: all. */
  readonly repos: readonly string[];
}

/** One page of whole units; or their number, up to a limit. */
export interface UnitsQuery {
  readonly kind: 'units' | 'unit-count';
  /** A slice of the units table. */
  readonly slice: Slice;
  /** Themes or subcategories that a unit must have a share of, in addition to the filters of the slice. */
  readonly shares: Filters;
  readonly completedOnly: boolean;
  readonly order: UnitOrder;
  readonly descending: boolean;
  readonly after: UnitPosition | null;
  readonly limit: number;
}

/** The shares of some units, all between two days. */
export interface UnitSharesQuery {
  readonly kind: 'unit-shares';
  readonly slice: Slice;
  readonly ids: readonly string[];
}

export type Query =
  | SeriesQuery
  | DistributionQuery
  | InProgressQuery
  | RequestEventsQuery
  | ReviewQuery
  | FlowQuery
  | ValuesQuery
  | FirstDayQuery
  | UnitsQuery
  | UnitSharesQuery;

export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/**
 * Compiles a query.
 *
 * @returns a statement whose columns are, for `series`: bucket (with an interval), label, and per measure its sum and,
 *   of a mean, its divisor; for `flow`: both labels (null: the rest), sum, divisor (of a mean), and with coverage the
 *   number of units, and of those with a team, a repository, a theme, and a known churn; for `distribution`: bucket (with
 *   an interval), label, number, sum, percentiles and the number of units that the measure is about, then number and units
 *   over all labels; for `values`: label and count; for `first-day`: the day, or no row;
 *   for requests in progress and reviews: those of their files;
 *   for `units`: those of `UNIT_COLUMNS`; for `unit-count`: the number; for `unit-shares`: id, subcategory and weight
 */
export function compile(dialect: Dialect, query: Query): Statement {
  const parameters: Parameter[] = [];
  const bind: Bind = (type, value) => dialect.placeholder(parameters.push({ type, value }), type);
  // The first parameter of every statement.
  const owner = bind('text', 'orgId' in query ? query.orgId : query.slice.orgId);
  switch (query.kind) {
    case 'series':
      return { text: series(dialect, query, owner, bind), parameters };
    case 'distribution':
      return { text: distribution(dialect, query, owner, bind), parameters };
    case 'in-progress':
      return { text: inProgress(dialect, query, owner, bind), parameters };
    case 'request-events':
      return { text: requestEvents(dialect, query, owner, bind), parameters };
    case 'reviewed':
    case 'reviewers':
    case 'review-teams':
    case 'review-times':
      return { text: reviewStatement(dialect, query, owner, bind), parameters };
    case 'flow':
      return { text: flow(dialect, query, owner, bind), parameters };
    case 'values':
      return { text: values(dialect, query, owner, bind), parameters };
    case 'first-day':
      return { text: firstDay(dialect, query, owner, bind), parameters };
    case 'units':
      return { text: units(dialect, query, owner, bind), parameters };
    case 'unit-count':
      return { text: unitCount(dialect, query, owner, bind), parameters };
    case 'unit-shares':
      return { text: unitShares(dialect, query, owner, bind), parameters };
  }
}

function series(dialect: Dialect, query: SeriesQuery, owner: string, bind: Bind): string {
  const { slice, dimension, interval } = query;
  const measures = [...query.tops].map(([measure, top], index) => ({ measure, top, at: index + 1 }));
  const bucket = interval === null ? [] : [`${bucketColumn(dialect, interval, slice, bind)} as bucket`];
  const columns = measures.flatMap(({ measure, at }) => sumColumns(dialect, slice.source, measure, String(at)));
  const from = dialect.from(slice.source, [dimension, ...filteredDimensions(slice)], [...query.tops.keys()]);
  const grouped =
    `select ${[...bucket, `${dialect.column(slice.source, dimension)} as label`, ...columns].join(', ')} ` +
    `from ${from} where ${conditions(dialect, slice, owner, bind)} ` +
    `group by ${interval === null ? '' : 'bucket, '}label`;
  const totals = measures.map(({ measure, at }) => {
    const total = (name: string): string =>
      interval === null ? `${name}${at}` : `sum(${name}${at}) over (partition by label)`;
    return `${valueExpression(dialect, slice.source, measure, { sum: total('sum'), divisor: total('divisor') })} as value${at}`;
  });
  const ranks = measures.map(({ at }) => `dense_rank() over (order by value${at} desc, label) as rank${at}`);
  const shown = [
    ...(interval === null ? [] : ['bucket']),
    'label',
    ...measures.flatMap(({ measure, at }) => [`sum${at}`, ...(isMean(measure) ? [`divisor${at}`] : [])]),
  ];
  const wanted = measures.map(({ top, at }) => `rank${at} <= ${bind('integer', top)}`);
  return (
    `select ${shown.join(', ')} from (select totals.*, ${ranks.join(', ')} from (` +
    `select grouped.*, ${totals.join(', ')} from (${grouped}) grouped) totals) ranked where ${wanted.join(' or ')}`
  );
}

function flow(dialect: Dialect, query: FlowQuery, owner: string, bind: Bind): string {
  const { slice, from, to, measure, coverage } = query;
  const { source } = slice;
  const counted = dialect.measures[source].COUNT.sum;
  const labels = [from, to].map((dimension, index) => `${dialect.column(source, dimension)} as label${index + 1}`);
  const covered = coverage
    ? [
        `${counted} as units`,
        `${countedWhere(dialect, source, `team <> '${UNASSIGNED}'`)} as teamed`,
        `${countedWhere(dialect, source, "repo <> ''")} as housed`,
        `${countedWhere(dialect, source, `${dialect.column(source, 'THEME')} <> '${UNCLASSIFIED}'`)} as themed`,
        `${countedWhere(dialect, source, 'churn is not null')} as measured`,
      ]
    : [];
  const grouped =
    `select ${[...labels, ...sumColumns(dialect, source, measure, '1'), ...covered].join(', ')} ` +
    `from ${dialect.from(source, [from, to, ...filteredDimensions(slice), ...(coverage ? (['THEME'] as const) : [])], [measure])} ` +
    `where ${conditions(dialect, slice, owner, bind)} group by label1, label2`;
  const totals = [1, 2].map((side) => {
    const total = (name: string): string => `sum(${name}1) over (partition by label${side})`;
    return `${valueExpression(dialect, source, measure, { sum: total('sum'), divisor: total('divisor') })} as value${side}`;
  });
  const ranks = [1, 2].map((side) => `dense_rank() over (order by value${side} desc, label${side}) as rank${side}`);
  const keep = [bind('integer', query.keep), bind('integer', query.keep)];
  const nodes = keep.map(
    (limit, index) => `case when rank${index + 1} <= ${limit} then label${index + 1} end as node${index + 1}`,
  );
  const sums = [
    'sum(sum1)',
    ...(isMean(measure) ? ['sum(divisor1)'] : []),
    ...(coverage ? [...['units', 'teamed', 'housed', 'themed', 'measured'].map((name) => `sum(${name})`)] : []),
  ];
  return (
    `select ${[...nodes, ...sums].join(', ')} from (select totals.*, ${ranks.join(', ')} from (` +
    `select grouped.*, ${totals.join(', ')} from (${grouped}) grouped) totals) ranked group by node1, node2`
  );
}

function values(dialect: Dialect, { dimension, search, limit }: ValuesQuery, owner: string, bind: Bind): string {
  const column = dialect.column('units', dimension);
  const matching =
    search === null
      ? ''
      : ` and ${dialect.contains(
          column,
          bind(
            'text',
            search.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
          ),
        )}`;
  return (
    `select label, units from (select ${column} as label, count(*) as units from ${dialect.from('units', [dimension], [])} ` +
    `where org_id = ${owner} and ${column} <> ''${matching} group by label) counted ` +
    `order by units desc, label limit ${bind('integer', limit)}`
  );
}

/** The engines find it in the order of their keys or indexes of days, without reading all units. */
function firstDay(dialect: Dialect, { repos }: FirstDayQuery, owner: string, bind: Bind): string {
  const within =
    repos.length === 0 ? '' : ` and ${dialect.oneOf(dialect.column('units', 'REPO'), bind('texts', repos))}`;
  return (
    `select ${dialect.dayText} from ${dialect.from('units', ['REPO'], [])} where org_id = ${owner} and day >= ${bind('date', FIRST_DAY)}${within} ` +
    'order by day limit 1'
  );
}

/** The sort keys of units. Unknown values, such as the cycle time of an incomplete unit, sort below all others. */
const ORDERS: Readonly<Record<UnitOrder, { readonly column: string; readonly type: 'date' | 'bigint' }>> = {
  DAY: { column: 'day', type: 'date' },
  CHURN_LOC: { column: 'coalesce(churn, -1)', type: 'bigint' },
  CYCLE_TIME_HOURS: { column: 'coalesce(cycle_ms, -1)', type: 'bigint' },
};

/** Keyset pagination: sort key and id together are unique, so that no unit is repeated or skipped. */
function units(dialect: Dialect, query: UnitsQuery, owner: string, bind: Bind): string {
  const { after, descending, limit } = query;
  const { column, type } = ORDERS[query.order];
  const beyond =
    after === null
      ? ''
      : ` and (${column}, id) ${descending ? '<' : '>'} (${bind(type, after.key)}, ${bind('text', after.id)})`;
  const direction = descending ? ' desc' : '';
  const nearest = nearestDays(dialect, query, owner, bind);
  const page =
    'select id, work_type, repo, team, author, theme, subcategory, started_at, completed_at, day, churn, cycle_ms, ' +
    'assistant, co_authors, epic, initiative ' +
    `from ${dialect.from('units', [], [])} where ${unitConditions(dialect, query, owner, bind)}${beyond}${nearest} ` +
    `order by ${column}${direction}, id${direction} limit ${bind('integer', limit)}`;
  // PostgreSQL would convert the times of all rows before it sorts them.
  return (
    'select id, work_type, repo, team, author, theme, subcategory, ' +
    `${dialect.milliseconds('started_at')}, ${dialect.milliseconds('completed_at')}, ${dialect.dayText} as day_text, ` +
    `churn, cycle_ms, assistant, co_authors, epic, initiative from (${page}) listed order by ${column}${direction}, id${direction}`
  );
}

/**
 * The days of a page in the order of days. Rows after the last page's day are counted, which are enough whatever is left
 * of that day.
 */
function nearestDays(dialect: Dialect, query: UnitsQuery, owner: string, bind: Bind): string {
  const { order, after, descending, limit } = query;
  if (order !== 'DAY' || dialect.nearestDays === null) return '';
  const whole = after === null ? '' : ` and day ${descending ? '<' : '>'} ${bind('date', after.key)}`;
  const rows = `from ${dialect.from('units', [], [])} where ${unitConditions(dialect, query, owner, bind)}${whole}`;
  const otherwise = bind('date', after?.key ?? (descending ? FIRST_DAY : LAST_DAY));
  return ` and ${dialect.nearestDays(rows, descending, bind('integer', limit), otherwise)}`;
}

/** Reads no more rows than are counted. */
function unitCount(dialect: Dialect, query: UnitsQuery, owner: string, bind: Bind): string {
  return (
    `select count(*) from (select id from ${dialect.from('units', [], [])} ` +
    `where ${unitConditions(dialect, query, owner, bind)} limit ${bind('integer', query.limit)}) counted`
  );
}

function unitConditions(dialect: Dialect, query: UnitsQuery, owner: string, bind: Bind): string {
  const { slice, shares, completedOnly } = query;
  const having = filtersOf(shares).map(([dimension, texts]) =>
    dialect.hasShare(dimension, bind('texts', texts), owner),
  );
  const complete = completedOnly ? ['cycle_ms is not null'] : [];
  return [conditions(dialect, slice, owner, bind), ...complete, ...having].join(' and ');
}

function unitShares(dialect: Dialect, { slice, ids }: UnitSharesQuery, owner: string, bind: Bind): string {
  return (
    `select id, ${dialect.column('shares', 'SUBCATEGORY')}, ${dialect.weight.shares} ` +
    `from ${dialect.from('shares', ['SUBCATEGORY'], [])} ` +
    `where ${conditions(dialect, slice, owner, bind)} and ${dialect.oneOf('id', bind('texts', ids))}`
  );
}

function sumColumns(dialect: Dialect, source: Source, measure: Measure, at: string): readonly string[] {
  const { sum, divisor } = dialect.measures[source][measure];
  return [`${sum} as sum${at}`, ...(divisor === undefined ? [] : [`${divisor} as divisor${at}`])];
}

/** Units that meet a condition; for shares, their millionths, whose proportion is the same. */
function countedWhere(dialect: Dialect, source: Source, condition: string): string {
  return `sum(case when ${condition} then ${dialect.weight[source]} else 0 end)`;
}
