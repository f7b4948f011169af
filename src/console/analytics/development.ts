import type { AnalyticsSchema } from '@plumbline/sdk/analytics';
import type { Bar } from '../charts/bars.js';
import type { Series } from '../charts/lines.js';
import type { ChartTable } from '../charts/table.js';
import { wordsOf } from '../charts/words.js';

/** Values over time, one series per value of a dimension. */
export interface Development {
  /** The first days of the buckets, in order. */
  readonly dates: readonly string[];
  readonly series: readonly Series[];
  /** The buckets of which only a part is in the figures. */
  readonly partial: ReadonlySet<string>;
  /** The buckets of which nothing is known; no series has a value there. */
  readonly unknown: ReadonlySet<string>;
}

/** How much of a bucket its figures are about. */
export interface BucketOf<Value> {
  readonly date: string;
  readonly coverage: AnalyticsSchema.BucketCoverage;
  readonly value: Value;
}

/** A series as the server answers it. */
export interface AnsweredSeries {
  readonly dimensionValue: string;
  readonly buckets: readonly BucketOf<number>[];
}

/** More lines than this cannot be distinguished. */
export const mostLines = 6;

/** A series of any kind; null: a bucket has no value. */
export interface LineOf {
  readonly key: string;
  readonly buckets: readonly BucketOf<number | null>[];
}

/**
 * Puts series on common dates. A bucket of which nothing is known has no values.
 *
 * @param dates all buckets of the period: means have only those with something
 */
export function developmentOf(answered: readonly AnsweredSeries[], dates: readonly string[]): Development {
  const lines = answered.map(({ dimensionValue, buckets }) => ({ key: dimensionValue, buckets }));
  return { ...developmentOfLines(lines), dates };
}

/** The same for series that have all buckets of the period. */
export function developmentOfLines(lines: readonly LineOf[]): Development {
  const all = lines.flatMap(({ buckets }) => buckets);
  const datesWith = (coverage: AnalyticsSchema.BucketCoverage): ReadonlySet<string> =>
    new Set(all.flatMap((bucket) => (bucket.coverage === coverage ? [bucket.date] : [])));
  return {
    dates: [...new Set(all.map(({ date }) => date))].sort(),
    partial: datesWith('PARTIAL'),
    unknown: datesWith('NONE'),
    series: lines.map(({ key, buckets }) => ({
      key,
      values: new Map(
        buckets.flatMap(({ date, coverage, value }) =>
          value === null || coverage === 'NONE' ? [] : [[date, value] as const],
        ),
      ),
    })),
  };
}

/** The largest value of all series. */
export function largestOf({ series }: Development): number {
  return Math.max(0, ...series.flatMap(({ values }) => [...values.values()]));
}

/** The sum of bars. */
export function totalOf(bars: readonly Bar[]): number {
  return bars.reduce((sum, { value }) => sum + value, 0);
}

/** A column per series, a row per date. */
export function tableOfLines(
  dimension: string,
  { dates, series, partial, unknown }: Pick<Development, 'dates' | 'series'> & Partial<Development>,
  hrefOf?: (key: string, date: string | null) => string | undefined,
): ChartTable {
  const hasCoverage = partial !== undefined;
  return {
    isByDay: true,
    columns: ['From', ...series.map(({ key }) => wordsOf(dimension, key)), ...(hasCoverage ? ['Days'] : [])],
    rows: dates.map((date) => [
      date,
      ...series.map(({ values }) => values.get(date) ?? null),
      ...(hasCoverage ? [unknown?.has(date) ? 'not known' : partial.has(date) ? 'partial' : 'all'] : []),
    ]),
    hrefOf: (row, column) => {
      const [each, date] = [series[column - 1], dates[row]];
      return each === undefined || date === undefined ? undefined : hrefOf?.(each.key, date);
    },
  };
}

/** A row per bar. */
export function tableOfBars(dimension: string, columns: readonly [string, string], bars: readonly Bar[]): ChartTable {
  return {
    columns,
    rows: bars.map(({ key, value }) => [wordsOf(dimension, key), value]),
    hrefOf: (row) => bars[row]?.href,
  };
}
