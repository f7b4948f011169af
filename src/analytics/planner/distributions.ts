/** Converts the rows of distributions to statistics. */
import type { DistributionResult, Statistics } from '../analytics.js';
import { bucketsOf } from './buckets.js';
import type { DistributionQuery, QueryMeasure } from './distribution-statement.js';
import type { AnsweredDistribution } from './plan.js';
import { wholeNumber, type Row, type Rows } from './result-rows.js';
import { statisticsOf } from './statistics.js';
import { byBytes } from './values.js';

export function answerDistribution({ request, whole, buckets }: AnsweredDistribution, rows: Rows): DistributionResult {
  const { dimension, measure } = request;
  const bucketed = buckets === null ? new Map<string, Bucket[]>() : bucketsByKey(buckets, rows.get(buckets) ?? []);
  const all = rows.get(whole) ?? [];
  const items = measuredRows(all).map(([label, ...columns]) => ({
    key: String(label),
    statistics: statisticsOf(measure, columns),
    coverage: ratio(columns[0], columns[ABOUT]),
    buckets: bucketed.get(String(label)) ?? [],
    baseline: null,
  }));
  items.sort((one, other) => other.statistics.count - one.statistics.count || byBytes(one.key, other.key));
  const [first] = all;
  const coverage = first === undefined ? null : ratio(first[ALL_MEASURED], first[ALL_MEASURED + 1]);
  return { dimension, measure, coverage, items };
}

/** The columns of a statement without an interval; the number of units that the measure is about follows the statistics. */
const ABOUT = 5;
const ALL_MEASURED = 7;

function measuredRows(rows: readonly Row[], at = 1): readonly Row[] {
  return rows.filter((row) => wholeNumber(row[at]) > 0n);
}

function ratio(part: unknown, whole: unknown): number {
  return Number(wholeNumber(part)) / Number(wholeNumber(whole));
}

/** @param rows of a query without an interval */
export function statisticsByKey(measure: QueryMeasure, rows: readonly Row[]): ReadonlyMap<string, Statistics> {
  return new Map(measuredRows(rows).map(([label, ...columns]) => [String(label), statisticsOf(measure, columns)]));
}

interface Bucket {
  readonly date: string;
  readonly statistics: Statistics;
}

function bucketsByKey(query: DistributionQuery, rows: readonly Row[]): ReadonlyMap<string, readonly Bucket[]> {
  const { measure, interval, slice } = query;
  if (interval === null) throw new Error('Buckets need a query with an interval.');
  const { starts } = bucketsOf(interval, slice.dateRange, slice.weekStartsOn);
  const byKey = new Map<string, Bucket[]>();
  const inOrder = measuredRows(rows, 2).toSorted(([one], [other]) => Number(one) - Number(other));
  for (const [bucket, label, ...columns] of inOrder) {
    const date = starts[Number(bucket)];
    if (date === undefined) throw new Error('The engine returned a bucket outside of the range.');
    const key = String(label);
    const buckets = byKey.get(key) ?? [];
    byKey.set(key, buckets);
    buckets.push({ date, statistics: statisticsOf(measure, columns) });
  }
  return byKey;
}
