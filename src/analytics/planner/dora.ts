/**
 * Plans and answers DORA's four keys. Each is a distribution: of the deployments to production, which failed or did not;
 * of the lead times of merged requests; and of the times until incidents were resolved.
 */
import type { DateRange, DoraBucket, DoraDuration, DoraKeys, DoraRequest, DoraResult } from '../analytics.js';
import type { Interval } from '../vocabulary.js';
import { bucketsOf, dayNumber } from './buckets.js';
import { bandsOf } from './dora-bands.js';
import type { DistributionQuery, QueryMeasure } from './distribution-statement.js';
import { wholeNumber, type Row, type Rows } from './result-rows.js';
import type { Slice } from './slices.js';
import { statisticsOf } from './statistics.js';
import { byBytes } from './values.js';

/** One query per source of the keys. */
interface KeyQueries {
  readonly deployments: DistributionQuery;
  readonly leadTimes: DistributionQuery;
  readonly restores: DistributionQuery;
}

export interface DoraPlan {
  readonly request: DoraRequest;
  readonly total: KeyQueries;
  /** null: no interval was requested. */
  readonly buckets: KeyQueries | null;
  /** The values with the most deployments; the other keys are read for these. */
  readonly deployed: DistributionQuery;
}

/** @param slice the rows of the request, of whole units */
export function planDora(request: DoraRequest, slice: Slice): DoraPlan {
  const { dimension, topN, interval } = request;
  return {
    request,
    total: keyQueries(slice, null),
    buckets: interval === null ? null : keyQueries(slice, interval),
    deployed: { kind: 'distribution', slice, dimension, measure: 'FAILED_CHANGES', interval: null, top: topN },
  };
}

function keyQueries(slice: Slice, interval: Interval | null): KeyQueries {
  const of = (measure: QueryMeasure): DistributionQuery => ({
    ...{ kind: 'distribution', slice, dimension: null, measure, interval, top: 1 },
  });
  return { deployments: of('FAILED_CHANGES'), leadTimes: of('LEAD_TIME_HOURS'), restores: of('RESTORE_HOURS') };
}

/** The queries that are run with those of the batch. */
export function doraQueries({ total, buckets, deployed }: DoraPlan): readonly DistributionQuery[] {
  return [...listOf(total), ...(buckets === null ? [] : listOf(buckets)), deployed];
}

function listOf({ deployments, leadTimes, restores }: KeyQueries): readonly DistributionQuery[] {
  return [deployments, leadTimes, restores];
}

/** The queries for the values with the most deployments, which depend on the first answer. */
export function itemQueries({ request, deployed }: DoraPlan, rows: Rows): KeyQueries | undefined {
  const keys = (rows.get(deployed) ?? []).map(([key]) => String(key));
  if (keys.length === 0) return undefined;
  const slice = { ...deployed.slice, filters: { ...deployed.slice.filters, [request.dimension]: keys } };
  const of = (measure: QueryMeasure): DistributionQuery => ({ ...deployed, slice, measure, top: keys.length });
  return { deployments: deployed, leadTimes: of('LEAD_TIME_HOURS'), restores: of('RESTORE_HOURS') };
}

/** @param items of {@link itemQueries} */
export function answerDora(plan: DoraPlan, items: KeyQueries | undefined, rows: Rows): DoraResult {
  const { request, total, buckets } = plan;
  const days = daysBetween(request.dateRange.startDate, request.dateRange.endDate) + 1;
  const [whole = NO_ROWS] = keyRows(total, rows, 1).values();
  return {
    dimension: request.dimension,
    total: keysOf(whole, days),
    items: itemsOf(items, rows).map(([key, keyed]) => ({ key, keys: keysOf(keyed, days) })),
    buckets: buckets === null ? [] : bucketsWith(buckets, request, rows),
  };
}

/** In the order of the engine: most deployments first, then by name. */
function itemsOf(queries: KeyQueries | undefined, rows: Rows): readonly (readonly [string, KeyRows])[] {
  if (queries === undefined) return [];
  return [...keyRows(queries, rows, 1)].sort(
    ([one, a], [other, b]) =>
      Number(wholeNumber(b.deployments?.[0])) - Number(wholeNumber(a.deployments?.[0])) || byBytes(one, other),
  );
}

function bucketsWith(queries: KeyQueries, { interval, dateRange }: DoraRequest, rows: Rows): readonly DoraBucket[] {
  if (interval === null) return [];
  const found = keyRows(queries, rows, 2);
  const { starts } = bucketsOf(interval, dateRange, queries.deployments.slice.weekStartsOn);
  return starts.map((date, index) => {
    const days = daysIn(dateRange, date, starts[index + 1]);
    return { date, keys: keysOf(found.get(String(index)) ?? NO_ROWS, days) };
  });
}

/** The rows of the three queries without their keys: number, sum, percentiles, and the units that it is about. */
interface KeyRows {
  readonly deployments?: Row;
  readonly leadTimes?: Row;
  readonly restores?: Row;
}

const NO_ROWS: KeyRows = {};

/** By the first column of the rows: the value, or the bucket. @param width how many columns precede the numbers */
function keyRows(queries: KeyQueries, rows: Rows, width: 1 | 2): ReadonlyMap<string, KeyRows> {
  const byKey = new Map<string, { deployments?: Row; leadTimes?: Row; restores?: Row }>();
  for (const name of ['deployments', 'leadTimes', 'restores'] as const) {
    for (const row of rows.get(queries[name]) ?? []) {
      const key = String(row[0]);
      const found = byKey.get(key) ?? {};
      byKey.set(key, found);
      found[name] = row.slice(width);
    }
  }
  return byKey;
}

function keysOf({ deployments = [], leadTimes = [], restores = [] }: KeyRows, days: number): DoraKeys {
  const [count, failed] = [Number(wholeNumber(deployments[0])), Number(wholeNumber(deployments[1]))];
  const keys = {
    deploymentFrequency: { deployments: count, perDay: count / days },
    leadTime: durationOf(leadTimes),
    changeFailureRate: { failed, rate: count === 0 ? null : failed / count },
    timeToRestore: durationOf(restores),
  };
  return { ...keys, bands: bandsOf(keys, days) };
}

/** @param columns number, sum and percentiles in milliseconds, and the number of units that they are about */
export function durationOf(columns: Row): DoraDuration {
  const [measured, about] = [wholeNumber(columns[0]), wholeNumber(columns[5])];
  return {
    statistics: measured === 0n ? null : statisticsOf('CYCLE_TIME_HOURS', columns),
    coverage: about === 0n ? null : Number(measured) / Number(about),
  };
}

/** The days of a bucket that belong to the range. @param next the first day of the next bucket */
function daysIn({ startDate, endDate }: DateRange, start: string, next: string | undefined): number {
  const first = start < startDate ? startDate : start;
  return next === undefined ? daysBetween(first, endDate) + 1 : daysBetween(first, next);
}

function daysBetween(first: string, last: string): number {
  return dayNumber(last) - dayNumber(first);
}
