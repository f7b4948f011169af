/** What the Explore page shows, as the query string holds it. */
import type { CatalogDimensionsQuery, CatalogLimitsQuery, ExploreQueryVariables } from '@plumbline/sdk/analytics';
import type { Dimension, Measure } from '../analytics/client.js';
import { bucketsOf, daysOf, isTooLong, periodOf, type Interval, type Period } from '../analytics/period.js';
import { dimensions, filtersOf, isDimension, picksOf, type Picks } from '../analytics/picks.js';

/** What the server offers, and how much of it. */
export type Catalog = CatalogDimensionsQuery['catalog'] & CatalogLimitsQuery['catalog'];

export interface Choices {
  readonly dimension: Dimension;
  readonly measure: Measure;
  readonly interval: Interval;
  /** How many bars, the largest first. */
  readonly top: number;
  /** Whether each unit counts whole under its main theme, instead of with its shares of all themes. */
  readonly isWhole: boolean;
  readonly period: Period;
  readonly picks: Picks;
}

export const measures: Readonly<Record<Measure, string>> = {
  COUNT: 'Work units',
  THROUGHPUT: 'Completed work units',
  CYCLE_TIME_HOURS: 'Cycle time',
  CHURN_LOC: 'Lines changed',
};

export const intervals: Readonly<Record<Interval, string>> = {
  DAY: 'Day',
  WEEK: 'Week',
  MONTH: 'Month',
  QUARTER: 'Quarter',
  YEAR: 'Year',
};

const fallbackTop = 10;

/**
 * Reads the choices out of the query string. What cannot be read is the default.
 *
 * @param today YYYY-MM-DD
 */
export function choicesOf(search: URLSearchParams, today: string): Choices {
  const upper = (name: string): string => (search.get(name) ?? '').toUpperCase();
  const [dimension, measure, interval] = [upper('dimension'), upper('measure'), upper('interval')];
  const top = Number(search.get('top') ?? fallbackTop);
  return {
    dimension: isDimension(dimension) ? dimension : 'THEME',
    measure: isMeasure(measure) ? measure : 'COUNT',
    interval: isInterval(interval) ? interval : 'WEEK',
    top: Number.isSafeInteger(top) && top > 0 ? top : fallbackTop,
    isWhole: search.get('whole') === 'yes',
    period: periodOf(search, today),
    picks: picksOf(search),
  };
}

function isMeasure(name: string): name is Measure {
  return Object.hasOwn(measures, name);
}

function isInterval(name: string): name is Interval {
  return Object.hasOwn(intervals, name);
}

/** What the server would refuse, for people; null: nothing. */
export function faultOf({ period: { range }, interval, top }: Choices, { limits, calendar }: Catalog): string | null {
  if (isTooLong(range, limits.maxDays)) {
    return `The period has ${daysOf(range.startDate, range.endDate)} days, and at most ${limits.maxDays} can be asked for.`;
  }
  const buckets = bucketsOf(range, interval, calendar);
  if (buckets > limits.maxBuckets) {
    return `The period has ${buckets} ${intervals[interval].toLowerCase()}s, and at most ${limits.maxBuckets} points can be asked for. Choose a longer interval or a shorter period.`;
  }
  if (top > limits.maxTopN) return `At most ${limits.maxTopN} values can be asked for; these are ${top}.`;
  return null;
}

/** The choices as the server takes them. */
export function variablesOf(orgId: string, choices: Choices): ExploreQueryVariables {
  const { dimension, measure, interval, top, isWhole, period, picks } = choices;
  const filters = filtersOf(picks);
  return { orgId, dateRange: period.range, dimension, measure, interval, topN: top, useInvestment: !isWhole, filters };
}

/** What the charts show: "Completed work units by team". */
export function titleOf({ measure, dimension }: Choices): string {
  return `${measures[measure]} by ${dimensions[dimension].label.toLowerCase()}`;
}
