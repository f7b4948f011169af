import type { Bar } from '../charts/bars.js';
import type { Series } from '../charts/lines.js';
import type { ChartTable } from '../charts/table.js';
import { wordsOf } from '../charts/words.js';
import type { Overview } from './analytics.js';

/** The parts of the reply, by what they are: `graphql/persisted/overview.graphql` has them in this order. */
export interface Figures {
  readonly units: readonly Bar[];
  readonly unitsBefore: readonly Bar[];
  readonly churn: readonly Bar[];
  readonly cycleTime: readonly Bar[];
  readonly themes: readonly Bar[];
  readonly subcategories: readonly Bar[];
  readonly byTheme: Development;
  readonly byTeam: Development;
  readonly cycleTimes: Development;
  readonly flow: NonNullable<Overview['sankey']> | null;
}

export interface Development {
  readonly dates: readonly string[];
  readonly series: readonly Series[];
}

/** More lines than this cannot be told apart. */
const mostLines = 6;

export function figuresOf({ breakdowns, timeseries, sankey }: Overview): Figures {
  const bars = (at: number): readonly Bar[] => breakdowns[at]?.items ?? [];
  const lines = (dimension: string): Development => developmentOf(timeseries, dimension);
  return {
    units: bars(0),
    unitsBefore: bars(1),
    churn: bars(2),
    cycleTime: bars(3),
    themes: bars(4),
    subcategories: bars(5),
    byTheme: lines('THEME'),
    byTeam: lines('TEAM'),
    cycleTimes: lines('WORK_TYPE'),
    flow: sankey ?? null,
  };
}

export function totalOf(bars: readonly Bar[]): number {
  return bars.reduce((sum, { value }) => sum + value, 0);
}

export function largestOf({ series }: Development): number {
  return Math.max(0, ...series.flatMap(({ values }) => [...values.values()]));
}

function developmentOf(timeseries: Overview['timeseries'], dimension: string): Development {
  const found = timeseries.filter((each) => each.dimension === dimension).slice(0, mostLines);
  const dates = [...new Set(found.flatMap(({ buckets }) => buckets.map(({ date }) => date)))].sort();
  const series = found.map(({ dimensionValue, buckets }) => ({
    key: dimensionValue,
    values: new Map(buckets.map(({ date, value }) => [date, value])),
  }));
  return { dates, series };
}

/** A column per series, a row per date. */
export function tableOfLines(dimension: string, { dates, series }: Development): ChartTable {
  return {
    columns: ['From', ...series.map(({ key }) => wordsOf(dimension, key))],
    rows: dates.map((date) => [date, ...series.map(({ values }) => values.get(date) ?? null)]),
  };
}

/** A row per bar. */
export function tableOfBars(dimension: string, name: string, bars: readonly Bar[]): ChartTable {
  return { columns: [name, 'Work units'], rows: bars.map(({ key, value }) => [wordsOf(dimension, key), value]) };
}

/** A row per edge. */
export function tableOfFlow({ nodes, edges }: NonNullable<Figures['flow']>): ChartTable {
  const names = new Map(nodes.map(({ id, label, dimension }) => [id, wordsOf(dimension, label)]));
  return {
    columns: ['From', 'To', 'Work units'],
    rows: edges.map(({ source, target, value }) => [names.get(source) ?? source, names.get(target) ?? target, value]),
  };
}
