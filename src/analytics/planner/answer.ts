/** Converts the rows of a plan's queries to the answer of its batch, without what further queries add. */
import type { AnalyticsBatch, AnalyticsResult, BreakdownResult, TimeseriesResult } from '../analytics.js';
import type { Measure } from '../vocabulary.js';
import { bucketsOf } from './buckets.js';
import { answerDistribution } from './distributions.js';
import { answerDora } from './dora.js';
import { answerInProgress } from './in-progress.js';
import { answerReviews } from './reviews.js';
import { answerSankey } from './sankey.js';
import { MAX_SERIES, type Answered, type Plan } from './plan.js';
import type { SeriesQuery } from './statements.js';
import { add, byValue, isMean, NOTHING, valueOf, type Sums } from './values.js';
import { wholeNumber, type Row, type Rows } from './result-rows.js';

export function answerBatch(batch: AnalyticsBatch, plan: Plan, rows: Rows): AnalyticsResult {
  return {
    timeseries: plan.timeseries.flatMap((each) => timeseries(each, rows)),
    breakdowns: plan.breakdowns.map((each) => breakdown(each, rows)),
    distributions: plan.distributions.map((each) => answerDistribution(each, rows)),
    // The items of `dora` need another query.
    dora: plan.dora === null ? null : answerDora(plan.dora, undefined, rows),
    workInProgress: plan.workInProgress === null ? null : answerInProgress(plan.workInProgress, rows),
    // The items of `reviews` need another query.
    reviews: plan.reviews === null ? null : answerReviews(plan.reviews, undefined, rows),
    sankey: batch.sankey === null ? null : answerSankey(batch.sankey, plan.flows, rows),
  };
}

function timeseries(
  { request, query }: Answered<{ readonly measure: Measure }, SeriesQuery>,
  rows: Rows,
): readonly TimeseriesResult[] {
  const { slice, interval, dimension } = query;
  const { measure } = request;
  if (interval === null) throw new Error('A timeseries needs a query with an interval.');
  const { starts } = bucketsOf(interval, slice.dateRange, slice.weekStartsOn);
  return largest(query, measure, rows, MAX_SERIES).map(({ name, cells }) => ({
    dimension,
    dimensionValue: name,
    measure,
    interval,
    dateRange: slice.dateRange,
    buckets: starts.flatMap((date, index) => {
      const value = valueOf(slice.source, measure, cells.get(index) ?? NOTHING);
      // The sum of an empty bucket is 0; it has no mean.
      return value === undefined ? [] : [{ date, value }];
    }),
  }));
}

function breakdown(
  { request, query }: Answered<{ readonly measure: Measure; readonly topN: number }, SeriesQuery>,
  rows: Rows,
): BreakdownResult {
  const { measure, topN } = request;
  return {
    dimension: query.dimension,
    measure,
    items: largest(query, measure, rows, topN).map(({ name, value }) => ({ key: name, value, baseline: null })),
  };
}

interface Series {
  readonly name: string;
  readonly value: number;
  /** By number of bucket. */
  readonly cells: ReadonlyMap<number, Sums>;
}

/** The largest values of the query's dimension. */
export function largest(query: SeriesQuery, measure: Measure, rows: Rows, top: number): readonly Series[] {
  const { source } = query.slice;
  const series = [...cellsOf(query, measure, rows.get(query) ?? [])].flatMap(([name, cells]) => {
    const value = valueOf(source, measure, [...cells.values()].reduce(add, NOTHING));
    return value === undefined ? [] : [{ name, value, cells }];
  });
  return series.toSorted(byValue).slice(0, top);
}

function cellsOf(query: SeriesQuery, measure: Measure, rows: readonly Row[]): Map<string, Map<number, Sums>> {
  const labelAt = query.interval === null ? 0 : 1;
  let sumAt = labelAt + 1;
  for (const other of query.tops.keys()) {
    if (other === measure) break;
    sumAt += isMean(other) ? 2 : 1;
  }
  const series = new Map<string, Map<number, Sums>>();
  for (const row of rows) {
    const name = String(row[labelAt]);
    const cells = series.get(name) ?? new Map<number, Sums>();
    series.set(name, cells);
    cells.set(labelAt === 0 ? 0 : Number(row[0]), {
      sum: wholeNumber(row[sumAt]),
      divisor: isMean(measure) ? wholeNumber(row[sumAt + 1]) : 0n,
    });
  }
  return series;
}
