/** The batches that are measured, and the statements that somebody would write by hand for the same answers. */
import type { AnalyticsBatch, DateRange } from '../../../src/analytics/analytics.js';
import type { Dimension, Interval, Measure } from '../../../src/analytics/vocabulary.js';

export const ORG = 'bench';
const year: DateRange = { startDate: '2025-01-01', endDate: '2025-12-31' };
const spring: DateRange = { startDate: '2025-03-01', endDate: '2025-05-31' };
const summer: DateRange = { startDate: '2025-06-01', endDate: '2025-08-31' };

/** What a page of charts asks for: ten requests, several about the same dimension. */
const dashboard: AnalyticsBatch = {
  timeseries: [
    { dimension: 'TEAM', measure: 'COUNT', interval: 'WEEK', dateRange: year },
    { dimension: 'TEAM', measure: 'CHURN_LOC', interval: 'WEEK', dateRange: year },
    { dimension: 'THEME', measure: 'THROUGHPUT', interval: 'MONTH', dateRange: year },
    { dimension: 'REPO', measure: 'CYCLE_TIME_HOURS', interval: 'MONTH', dateRange: year },
  ],
  breakdowns: [
    { dimension: 'TEAM', measure: 'THROUGHPUT', dateRange: year, topN: 10 },
    { dimension: 'AUTHOR', measure: 'COUNT', dateRange: year, topN: 50 },
    { dimension: 'REPO', measure: 'CHURN_LOC', dateRange: year, topN: 10 },
    { dimension: 'WORK_TYPE', measure: 'COUNT', dateRange: year, topN: 10 },
    { dimension: 'SUBCATEGORY', measure: 'COUNT', dateRange: year, topN: 15 },
  ],
  sankey: { path: ['TEAM', 'THEME', 'REPO'], measure: 'COUNT', dateRange: year, maxNodes: 100, maxEdges: 500 },
  useInvestment: false,
  scope: { level: 'ORG', ids: [] },
};

/** Ten requests that have nothing in common, so that nothing can be shared. */
const distinct: AnalyticsBatch = {
  timeseries: [
    { dimension: 'TEAM', measure: 'COUNT', interval: 'WEEK', dateRange: year },
    { dimension: 'REPO', measure: 'THROUGHPUT', interval: 'MONTH', dateRange: year },
    { dimension: 'THEME', measure: 'CHURN_LOC', interval: 'DAY', dateRange: spring },
    { dimension: 'WORK_TYPE', measure: 'CYCLE_TIME_HOURS', interval: 'WEEK', dateRange: year },
  ],
  breakdowns: [
    { dimension: 'AUTHOR', measure: 'COUNT', dateRange: year, topN: 50 },
    { dimension: 'SUBCATEGORY', measure: 'CHURN_LOC', dateRange: year, topN: 15 },
    { dimension: 'TEAM', measure: 'THROUGHPUT', dateRange: spring, topN: 10 },
    { dimension: 'REPO', measure: 'CYCLE_TIME_HOURS', dateRange: summer, topN: 10 },
    { dimension: 'AUTHOR', measure: 'CHURN_LOC', dateRange: summer, topN: 10 },
    { dimension: 'THEME', measure: 'COUNT', dateRange: summer, topN: 5 },
  ],
  sankey: null,
  useInvestment: false,
  scope: { level: 'ORG', ids: [] },
};

/** Percentiles need every value of a group in order, which costs more than a sum. */
const distributions: AnalyticsBatch = {
  timeseries: [],
  breakdowns: [],
  distributions: [
    {
      dimension: 'WORK_TYPE',
      measure: 'CYCLE_TIME_HOURS',
      dateRange: year,
      topN: 10,
      interval: null,
      compareWith: null,
    },
    { dimension: 'REPO', measure: 'CYCLE_TIME_HOURS', dateRange: year, topN: 50, interval: null, compareWith: null },
    { dimension: 'TEAM', measure: 'CHURN_LOC', dateRange: year, topN: 10, interval: null, compareWith: null },
    { dimension: 'THEME', measure: 'CHURN_LOC', dateRange: spring, topN: 10, interval: null, compareWith: null },
  ],
  sankey: null,
  useInvestment: false,
  scope: { level: 'ORG', ids: [] },
};

export const batches: Readonly<Record<string, AnalyticsBatch>> = { dashboard, distinct, distributions };

export interface HandDialect {
  readonly bucket: Readonly<Record<Interval, string>>;
  /** How many rows meet a condition. */
  count(condition: string): string;
  /** Three percentiles of a column. */
  percentiles(column: string): string;
}

export const postgresByHand: HandDialect = {
  bucket: {
    DAY: 'day',
    WEEK: "date_trunc('week', day)::date",
    MONTH: "date_trunc('month', day)::date",
    QUARTER: "date_trunc('quarter', day)::date",
    YEAR: "date_trunc('year', day)::date",
  },
  count: (condition) => `count(*) filter (where ${condition})`,
  percentiles: (column) => `percentile_disc(array[0.5, 0.75, 0.9]) within group (order by ${column})`,
};

export const clickHouseByHand: HandDialect = {
  bucket: {
    DAY: 'day',
    WEEK: 'toMonday(day)',
    MONTH: 'toStartOfMonth(day)',
    QUARTER: 'toStartOfQuarter(day)',
    YEAR: 'toStartOfYear(day)',
  },
  count: (condition) => `countIf(${condition})`,
  percentiles: (column) => `quantilesExact(0.5, 0.75, 0.9)(${column})`,
};

/** One statement per request; a flow takes one per step and one for the coverage. */
export function byHand({ bucket, count, percentiles }: HandDialect, batch: AnalyticsBatch): readonly string[] {
  const where = ({ startDate, endDate }: DateRange): string =>
    `from work_units where org_id = '${ORG}' and day between '${startDate}' and '${endDate}'`;
  const { sankey } = batch;
  return [
    ...batch.timeseries.map(
      ({ dimension, measure, interval, dateRange }) =>
        `select ${bucket[interval]} as bucket, ${columns[dimension]} as label, ${measures[measure]} as value
         ${where(dateRange)} group by bucket, label order by bucket, value desc`,
    ),
    ...batch.breakdowns.map(
      ({ dimension, measure, dateRange, topN }) =>
        `select ${columns[dimension]} as label, ${measures[measure]} as value
         ${where(dateRange)} group by label order by value desc, label limit ${topN}`,
    ),
    ...(batch.distributions ?? []).map(({ dimension, measure, dateRange, topN }) => {
      const column = measure === 'CHURN_LOC' ? 'churn' : 'cycle_ms';
      return `select ${columns[dimension]} as label, count(${column}) as number, avg(${column}), ${percentiles(column)}
              ${where(dateRange)} group by label order by number desc, label limit ${topN}`;
    }),
    ...(sankey === null
      ? []
      : [
          ...sankey.path.slice(1).map(
            (to, index) =>
              `select ${columns[sankey.path[index] ?? to]} as source, ${columns[to]} as target,
                      ${measures[sankey.measure]} as value
               ${where(sankey.dateRange)} group by source, target order by value desc limit 250`,
          ),
          `select ${count("team <> 'unassigned'")}, ${count("repo <> ''")}, count(*) ${where(sankey.dateRange)}`,
        ]),
  ];
}

const columns: Readonly<Record<Dimension, string>> = {
  TEAM: 'team',
  REPO: 'repo',
  AUTHOR: 'author',
  WORK_TYPE: 'work_type',
  THEME: 'theme',
  SUBCATEGORY: 'subcategory',
  ASSISTANT: 'assistant',
  EPIC: 'epic',
  INITIATIVE: 'initiative',
  PLAN: "(case when epic in ('', 'unplanned') then epic else 'planned' end)",
};

const measures: Readonly<Record<Measure, string>> = {
  COUNT: 'count(*)',
  CHURN_LOC: 'sum(churn)',
  CYCLE_TIME_HOURS: 'avg(cycle_ms) / 3600000',
  THROUGHPUT: 'count(cycle_ms)',
};
