/**
 * The figures that are not sums: work in progress, reviews, DORA's keys, phases, comparisons and lists of units, beside
 * the statements that somebody would write by hand for the same answers.
 */
import type { Analytics, AnalyticsBatch, DateRange, UnitsRequest } from '../../../src/analytics/analytics.js';
import type { DistributionMeasure } from '../../../src/analytics/vocabulary.js';
import { ORG } from './batches.js';

const year: DateRange = { startDate: '2025-01-01', endDate: '2025-12-31' };
const spring: DateRange = { startDate: '2025-04-01', endDate: '2025-06-30' };
const before: DateRange = { startDate: '2024-12-31', endDate: '2025-03-31' };
const END = Date.parse('2026-01-01');
const BEGIN = Date.parse('2025-01-01');

const nothing: AnalyticsBatch = {
  timeseries: [],
  breakdowns: [],
  sankey: null,
  useInvestment: false,
  scope: { level: 'ORG', ids: [] },
};

/** What the two engines write differently. */
export interface FigureDialect {
  /** ClickHouse stores versions of a row, and a right answer reads the last one. */
  readonly table: string;
  /** Three percentiles of a column. */
  percentiles(column: string): string;
  /** How many rows meet a condition. */
  count(condition: string): string;
  /** The rows of reviewers: the text after `from`, and three columns. */
  readonly reviewers: { readonly from: string; readonly person: string; readonly team: string; readonly times: string };
  readonly month: string;
  /** Whole days of milliseconds. */
  days(milliseconds: string): string;
  /** The columns of a listed unit, with its shares if they are in its row. */
  readonly unit: string;
  /** The shares of the units of a page; null: they are in its row. */
  shares(page: string): string | null;
}

export const postgresFigures: FigureDialect = {
  table: 'work_units',
  percentiles: (column) => `percentile_disc(array[0.5, 0.75, 0.9]) within group (order by ${column})`,
  count: (condition) => `count(*) filter (where ${condition})`,
  reviewers: {
    from: 'work_units, json_array_elements(reviewers::json) as review',
    person: 'review->>0',
    team: 'review->>1',
    times: '(review->>2)::int',
  },
  month: "date_trunc('month', day)::date",
  days: (milliseconds) => `(${milliseconds}) / 86400000`,
  unit: 'id, work_type, repo, team, author, theme, subcategory, started_at, completed_at, day, churn, cycle_ms',
  shares: (page) =>
    `select id, subcategory, weight from work_unit_shares
     where org_id = '${ORG}' and id in (select id from (${page}) page)`,
};

export const clickHouseFigures: FigureDialect = {
  table: 'work_units final',
  percentiles: (column) => `quantilesExact(0.5, 0.75, 0.9)(${column})`,
  count: (condition) => `countIf(${condition})`,
  reviewers: {
    from: `work_units final array join JSONExtract(assumeNotNull(reviewers), 'Array(Tuple(String, String, Int64, Int64))') as review`,
    person: 'review.1',
    team: 'review.2',
    times: 'review.3',
  },
  month: 'toStartOfMonth(day)',
  days: (milliseconds) => `intDiv(${milliseconds}, 86400000)`,
  unit: `id, work_type, repo, team, author, theme, subcategory, started_at, completed_at, day, churn, cycle_ms,
         share_subcategory, share_weight`,
  shares: () => null,
};

/** One figure: the way a client asks for it, and the statements by hand. */
export interface Figure {
  ask(analytics: Analytics, signal: AbortSignal): Promise<unknown>;
  byHand(dialect: FigureDialect): readonly string[];
}

const ofYear = `org_id = '${ORG}' and day between '${year.startDate}' and '${year.endDate}'`;

function batch(asked: Partial<AnalyticsBatch>): Figure['ask'] {
  return (analytics, signal) => analytics.run(ORG, { ...nothing, ...asked }, signal);
}

const workInProgress: Figure = {
  ask: batch({ workInProgress: { dimension: 'TEAM', dateRange: year, topN: 10, interval: 'WEEK' } }),
  byHand({ table, percentiles, days, count }) {
    const age = days(`${END} - opened_ms`);
    const isOpen = `(closed_ms is null or closed_ms >= ${END})`;
    const open = `from ${table} where org_id = '${ORG}' and opened_ms < ${END} and ${isOpen}`;
    const daily = (column: string): string =>
      `select ${days(`${column} - ${BEGIN}`)} as bucket, count(*) from ${table}
       where org_id = '${ORG}' and ${column} < ${END} group by bucket`;
    return [
      `select count(*), avg(${age}), ${percentiles(age)} ${open}`,
      `select team, count(*) as number, avg(${age}), ${percentiles(age)} ${open}
       group by team order by number desc, team limit 10`,
      // Which teams have requests at all: their number is 0, and not unknown.
      `select team, ${count(isOpen)} from ${table} where org_id = '${ORG}' and opened_ms < ${END} group by team`,
      daily('opened_ms'),
      daily('closed_ms'),
    ];
  },
};

const reviews: Figure = {
  ask: batch({ reviews: { dimension: 'TEAM', dateRange: year, topN: 10 } }),
  byHand({ table, percentiles, count, reviewers }) {
    const { from, person, team, times } = reviewers;
    const known = `${ofYear} and reviewers is not null`;
    const half = (label: string): string =>
      `select label, total, count(*), ${count('(upto - times) * 2 < total')} from (
         select people.*, sum(times) over (partition by label order by times desc, person) as upto,
                sum(times) over (partition by label) as total
         from (select ${label} as label, ${person} as person, sum(${times}) as times
               from ${from} where ${known} group by label, person) people) ranked group by label, total`;
    const share = `count(*) as requests, ${count("reviewers <> '[]'")}`;
    return [
      `select ${share} from ${table} where ${known}`,
      `select team, ${share} from ${table} where ${known} group by team order by requests desc, team limit 10`,
      half("''"),
      half('team'),
      `select team as label1, ${team} as label2, sum(${times}) as number, count(distinct id) from ${from} where ${known}
       group by label1, label2 order by number desc limit 10`,
      `select case when churn < 10 then 0 when churn < 50 then 1 when churn < 200 then 2 when churn < 500 then 3
                   when churn < 1000 then 4 else 5 end as label,
              count(*), count(pickup_ms + review_ms), avg(pickup_ms + review_ms), ${percentiles('pickup_ms + review_ms')}
       from ${table} where ${ofYear} and work_type = 'pull_request' and cycle_ms is not null group by label order by label`,
    ];
  },
};

const dora: Figure = {
  ask: batch({ dora: { dimension: 'TEAM', dateRange: year, topN: 10, interval: 'MONTH' } }),
  byHand({ table, percentiles, month }) {
    const sources = [
      ['count(*), sum(change_failed)', 'change_failed is not null'],
      [
        `count(*), count(lead_ms), avg(lead_ms), ${percentiles('lead_ms')}`,
        "work_type = 'pull_request' and cycle_ms is not null",
      ],
      [`count(*), count(cycle_ms), avg(cycle_ms), ${percentiles('cycle_ms')}`, "work_type = 'incident'"],
    ] as const;
    return sources.flatMap(([columns, condition]) => [
      `select ${columns} from ${table} where ${ofYear} and ${condition}`,
      `select team, ${columns} from ${table} where ${ofYear} and ${condition} group by team`,
      `select ${month} as bucket, ${columns} from ${table} where ${ofYear} and ${condition} group by bucket`,
    ]);
  },
};

const PHASES = ['CODING_HOURS', 'PICKUP_HOURS', 'REVIEW_HOURS', 'MERGE_HOURS', 'DEPLOY_HOURS'] as const;

function columnOf(measure: DistributionMeasure): string {
  return `${measure.slice(0, measure.indexOf('_')).toLowerCase()}_ms`;
}

const phases: Figure = {
  ask: batch({
    distributions: PHASES.map((measure) => ({
      ...{ dimension: 'TEAM', measure, dateRange: year, topN: 10, interval: null, compareWith: null },
    })),
  }),
  byHand: ({ table, percentiles }) =>
    PHASES.map((measure) => {
      const column = columnOf(measure);
      return `select team, count(*), count(${column}) as number, avg(${column}), ${percentiles(column)} from ${table}
              where ${ofYear} and work_type = 'pull_request' and cycle_ms is not null
              group by team order by number desc, team limit 10`;
    }),
};

const compare: Figure = {
  ask: batch({
    breakdowns: [
      { dimension: 'TEAM', measure: 'THROUGHPUT', dateRange: spring, topN: 10, compareWith: 'PREVIOUS_PERIOD' },
    ],
    distributions: [
      {
        ...{ dimension: 'REPO', measure: 'CYCLE_TIME_HOURS', dateRange: spring, topN: 10, interval: null },
        compareWith: 'PREVIOUS_PERIOD',
      },
    ],
  }),
  byHand: ({ table, percentiles }) =>
    [spring, before].flatMap(({ startDate, endDate }) => {
      const rows = `from ${table} where org_id = '${ORG}' and day between '${startDate}' and '${endDate}'`;
      return [
        `select team, count(cycle_ms) as number ${rows} group by team order by number desc, team limit 10`,
        `select repo, count(*), count(cycle_ms) as number, avg(cycle_ms), ${percentiles('cycle_ms')} ${rows}
         group by repo order by number desc, repo limit 10`,
      ];
    }),
};

function unitList(
  order: UnitsRequest['order'],
  column: string,
  filters: UnitsRequest['filters'],
  condition: string,
): Figure {
  const request: UnitsRequest = {
    ...{ dateRange: year, scope: nothing.scope, filters, useInvestment: false, completedOnly: false },
    ...{ order, descending: true, first: 50, after: null },
  };
  return {
    ask: (analytics, signal) => analytics.units(ORG, request, signal),
    byHand({ table, unit, shares }) {
      const where = `${ofYear}${condition}`;
      const ids = `select id from ${table} where ${where} order by ${column} desc, id desc limit 50`;
      const ofPage = shares(ids);
      return [
        `select ${unit} from ${table} where ${where} order by ${column} desc, id desc limit 51`,
        `select count(*) from (select id from ${table} where ${where} limit 10000) counted`,
        ...(ofPage === null ? [] : [ofPage]),
      ];
    },
  };
}

export const figures: Readonly<Record<string, Figure>> = {
  workInProgress,
  reviews,
  dora,
  phases,
  compare,
  'units by day': unitList('DAY', 'day', {}, ''),
  'units by churn': unitList('CHURN_LOC', 'coalesce(churn, -1)', {}, ''),
  'units of a team': unitList(
    'DAY',
    'day',
    { TEAM: ['team-3'], THEME: ['quality'] },
    " and team = 'team-3' and theme = 'quality'",
  ),
};
