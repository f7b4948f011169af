import type { Bar } from '../charts/bars.js';
import type { Series } from '../charts/lines.js';
import type { ChartTable } from '../charts/table.js';
import { wordsOf } from '../charts/words.js';

/** Values over time, one series per value of a dimension. */
export interface Development {
  /** The first days of the buckets, in order. */
  readonly dates: readonly string[];
  readonly series: readonly Series[];
}

/** A series as the server answers it. */
export interface AnsweredSeries {
  readonly dimensionValue: string;
  readonly buckets: readonly { readonly date: string; readonly value: number }[];
}

/** More lines than this cannot be distinguished. */
export const mostLines = 6;

/** Puts series on common dates. */
export function developmentOf(answered: readonly AnsweredSeries[]): Development {
  const dates = [...new Set(answered.flatMap(({ buckets }) => buckets.map(({ date }) => date)))].sort();
  const series = answered.map(({ dimensionValue, buckets }) => ({
    key: dimensionValue,
    values: new Map(buckets.map(({ date, value }) => [date, value])),
  }));
  return { dates, series };
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
  { dates, series }: Development,
  hrefOf?: (key: string, date: string | null) => string | undefined,
): ChartTable {
  return {
    isByDay: true,
    columns: ['From', ...series.map(({ key }) => wordsOf(dimension, key))],
    rows: dates.map((date) => [date, ...series.map(({ values }) => values.get(date) ?? null)]),
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
