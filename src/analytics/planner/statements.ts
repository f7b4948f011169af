/** Parameterized SQL, put together from the primitives of a dialect. Values of a request are parameters, always. */
import type { DateRange, Scope } from '../analytics.js';
import { FIRST_DAY, LAST_DAY } from '../store/rows.js';
import { UNASSIGNED, type Dimension, type Interval, type Measure } from '../vocabulary.js';
import { bucketsOf } from './buckets.js';
import type { Dialect, ParameterType, Source } from './dialects.js';
import { isMean, valueExpression } from './values.js';

/** Which rows a statement reads; the organization is part of it, whatever else is. */
export interface Slice {
  readonly orgId: string;
  readonly source: Source;
  readonly dateRange: DateRange;
  readonly scope: Scope;
}

/** Sums by bucket and value of a dimension, of the values that are largest by any of the measures. */
export interface SeriesQuery {
  readonly kind: 'series';
  readonly slice: Slice;
  readonly dimension: Dimension;
  /** Null: all of the range is one bucket. */
  readonly interval: Interval | null;
  /** How many of the largest values are wanted by each measure. */
  readonly tops: ReadonlyMap<Measure, number>;
}

/** Sums by the values of two dimensions; those beyond the largest of each are put together. */
export interface FlowQuery {
  readonly kind: 'flow';
  readonly slice: Slice;
  readonly from: Dimension;
  readonly to: Dimension;
  readonly measure: Measure;
  /** How many values of each dimension are kept. */
  readonly keep: number;
  /** Whether units with a team and with a repository are counted along the way. */
  readonly coverage: boolean;
}

/** The most frequent values of a dimension. */
export interface ValuesQuery {
  readonly kind: 'values';
  readonly orgId: string;
  readonly dimension: Dimension;
  readonly limit: number;
}

export type Query = SeriesQuery | FlowQuery | ValuesQuery;

export interface Parameter {
  readonly type: ParameterType;
  readonly value: string | number | readonly string[];
}

export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/**
 * Compiles a query.
 *
 * @returns a statement whose columns are, for `series`: bucket (with an interval), label, and per measure its sum and,
 *   of a mean, its divisor; for `flow`: both labels (null: the rest), sum, divisor (of a mean), and with coverage the
 *   number of units, of those with a team, and of those with a repository; for `values`: label and count
 */
export function compile(dialect: Dialect, query: Query): Statement {
  const parameters: Parameter[] = [];
  const bind = (type: ParameterType, value: Parameter['value']): string =>
    dialect.placeholder(parameters.push({ type, value }), type);
  // The first parameter of every statement.
  const owner = bind('text', query.kind === 'values' ? query.orgId : query.slice.orgId);
  switch (query.kind) {
    case 'series':
      return { text: series(dialect, query, owner, bind), parameters };
    case 'flow':
      return { text: flow(dialect, query, owner, bind), parameters };
    case 'values':
      return { text: values(dialect, query, owner, bind), parameters };
  }
}

type Bind = (type: ParameterType, value: Parameter['value']) => string;

function series(dialect: Dialect, query: SeriesQuery, owner: string, bind: Bind): string {
  const { slice, dimension, interval } = query;
  const measures = [...query.tops].map(([measure, top], index) => ({ measure, top, at: index + 1 }));
  const bucket = interval === null ? [] : [`${bucketColumn(dialect, interval, slice.dateRange, bind)} as bucket`];
  const columns = measures.flatMap(({ measure, at }) => sumColumns(dialect, slice.source, measure, String(at)));
  const from = dialect.from(slice.source, [dimension], [...query.tops.keys()]);
  const cells =
    `select ${[...bucket, `${dialect.column(slice.source, dimension)} as label`, ...columns].join(', ')} ` +
    `from ${from} where ${conditions(dialect, slice, owner, bind)} ` +
    `group by ${interval === null ? '' : 'bucket, '}label`;
  const figures = measures.map(({ measure, at }) => {
    const total = (name: string): string =>
      interval === null ? `${name}${at}` : `sum(${name}${at}) over (partition by label)`;
    return `${valueExpression(dialect, slice.source, measure, { sum: total('sum'), divisor: total('divisor') })} as value${at}`;
  });
  const places = measures.map(({ at }) => `dense_rank() over (order by value${at} desc, label) as place${at}`);
  const shown = [
    ...(interval === null ? [] : ['bucket']),
    'label',
    ...measures.flatMap(({ measure, at }) => [`sum${at}`, ...(isMean(measure) ? [`divisor${at}`] : [])]),
  ];
  const wanted = measures.map(({ top, at }) => `place${at} <= ${bind('integer', top)}`);
  return (
    `select ${shown.join(', ')} from (select valued.*, ${places.join(', ')} from (` +
    `select cells.*, ${figures.join(', ')} from (${cells}) cells) valued) placed where ${wanted.join(' or ')}`
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
      ]
    : [];
  const cells =
    `select ${[...labels, ...sumColumns(dialect, source, measure, '1'), ...covered].join(', ')} ` +
    `from ${dialect.from(source, [from, to], [measure])} where ${conditions(dialect, slice, owner, bind)} group by label1, label2`;
  const figures = [1, 2].map((side) => {
    const total = (name: string): string => `sum(${name}1) over (partition by label${side})`;
    return `${valueExpression(dialect, source, measure, { sum: total('sum'), divisor: total('divisor') })} as value${side}`;
  });
  const places = [1, 2].map((side) => `dense_rank() over (order by value${side} desc, label${side}) as place${side}`);
  const keep = [bind('integer', query.keep), bind('integer', query.keep)];
  const nodes = keep.map(
    (limit, index) => `case when place${index + 1} <= ${limit} then label${index + 1} end as node${index + 1}`,
  );
  const sums = [
    'sum(sum1)',
    ...(isMean(measure) ? ['sum(divisor1)'] : []),
    ...(coverage ? ['sum(units)', 'sum(teamed)', 'sum(housed)'] : []),
  ];
  return (
    `select ${[...nodes, ...sums].join(', ')} from (select valued.*, ${places.join(', ')} from (` +
    `select cells.*, ${figures.join(', ')} from (${cells}) cells) valued) placed group by node1, node2`
  );
}

function values(dialect: Dialect, { dimension, limit }: ValuesQuery, owner: string, bind: Bind): string {
  const column = dialect.column('units', dimension);
  return (
    `select label, units from (select ${column} as label, count(*) as units from ${dialect.from('units', [dimension], [])} ` +
    `where org_id = ${owner} and ${column} <> '' group by label) counted ` +
    `order by units desc, label limit ${bind('integer', limit)}`
  );
}

function conditions(dialect: Dialect, { dateRange, scope, source }: Slice, owner: string, bind: Bind): string {
  const { first, last } = comparable(dateRange);
  const all = [`org_id = ${owner}`, `day >= ${bind('date', first)}`, `day <= ${bind('date', last)}`];
  if (scope.level !== 'ORG' && scope.ids.length > 0) {
    all.push(dialect.oneOf(dialect.column(source, scope.level), bind('texts', scope.ids)));
  }
  return all.join(' and ');
}

/** No engine need compare days that none can hold; there are no units on them. */
function comparable({ startDate, endDate }: DateRange): { readonly first: string; readonly last: string } {
  const first = startDate < FIRST_DAY ? FIRST_DAY : startDate;
  const last = endDate > LAST_DAY ? LAST_DAY : endDate;
  return first > last ? { first: LAST_DAY, last: FIRST_DAY } : { first, last };
}

function bucketColumn(dialect: Dialect, interval: Interval, range: DateRange, bind: Bind): string {
  const buckets = bucketsOf(interval, range);
  const { takes, of } = dialect.bucket[interval];
  return of(takes === 'integer' ? bind('integer', buckets.origin) : bind('dates', buckets.starts));
}

function sumColumns(dialect: Dialect, source: Source, measure: Measure, at: string): readonly string[] {
  const { sum, divisor } = dialect.measures[source][measure];
  return [`${sum} as sum${at}`, ...(divisor === undefined ? [] : [`${divisor} as divisor${at}`])];
}

/** Units that meet a condition; in shares, the millionths of them, whose proportion is the same. */
function countedWhere(dialect: Dialect, source: Source, condition: string): string {
  return `sum(case when ${condition} then ${dialect.weight[source]} else 0 end)`;
}
