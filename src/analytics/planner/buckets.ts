/** The buckets of a range, and their numbers in an engine. All dates are UTC. */
import type { DateRange } from '../analytics.js';
import type { Interval, WeekStart } from '../vocabulary.js';

const DAY_MILLISECONDS = 86_400_000;

export interface Buckets {
  readonly interval: Interval;
  /** The first day of each, in order. The first bucket may begin before the range. */
  readonly starts: readonly string[];
  /**
   * The engine subtracts this to number buckets from 0: the first start in days since 1970-01-01, or for months,
   * quarters and years its year * 12 + month.
   */
  readonly origin: number;
}

/** The buckets that overlap a range. */
export function bucketsOf(interval: Interval, range: DateRange, week: WeekStart = 'MONDAY'): Buckets {
  const first = bucketNumber(interval, range.startDate, week);
  const starts = Array.from({ length: countBuckets(interval, range, week) }, (_, index) =>
    startOf(interval, first + index, week),
  );
  const start = startOf(interval, first, week);
  const isOfMonths = interval !== 'DAY' && interval !== 'WEEK';
  return { interval, starts, origin: isOfMonths ? monthNumber(start) : dayNumber(start) };
}

/** The number of buckets that overlap a range. Zero or negative if it ends before it starts. */
export function countBuckets(
  interval: Interval,
  { startDate, endDate }: DateRange,
  week: WeekStart = 'MONDAY',
): number {
  return bucketNumber(interval, endDate, week) - bucketNumber(interval, startDate, week) + 1;
}

/** How many months a bucket has. */
const MONTHS = { MONTH: 1, QUARTER: 3, YEAR: 12 } as const;

/** How many days 1970-01-01, a Thursday, is after the first day of its week. */
const DAYS_INTO_WEEK: Readonly<Record<WeekStart, number>> = { MONDAY: 3, SUNDAY: 4, SATURDAY: 5 };

function bucketNumber(interval: Interval, day: string, week: WeekStart): number {
  switch (interval) {
    case 'DAY':
      return dayNumber(day);
    case 'WEEK':
      return Math.floor((dayNumber(day) + DAYS_INTO_WEEK[week]) / 7);
    case 'MONTH':
    case 'QUARTER':
    case 'YEAR':
      return Math.floor((monthNumber(day) - 1) / MONTHS[interval]);
  }
}

/** The first day of the bucket with a number. */
function startOf(interval: Interval, bucket: number, week: WeekStart): string {
  switch (interval) {
    case 'DAY':
      return dayText(bucket);
    case 'WEEK':
      return dayText(bucket * 7 - DAYS_INTO_WEEK[week]);
    case 'MONTH':
    case 'QUARTER':
    case 'YEAR':
      return monthStart(bucket * MONTHS[interval] + 1);
  }
}

/** The first day after a bucket that begins on `start`. */
export function nextStart(interval: Interval, start: string): string {
  if (interval === 'WEEK') return dayText(dayNumber(start) + 7);
  return startOf(interval, bucketNumber(interval, start, 'MONDAY') + 1, 'MONDAY');
}

/** January of the year 0 is month 1. */
function monthNumber(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
}

function monthStart(month: number): string {
  const year = Math.floor((month - 1) / 12);
  return `${String(year).padStart(4, '0')}-${String(month - year * 12).padStart(2, '0')}-01`;
}

/** The number of a day, as `2026-01-31`, since 1970. */
export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MILLISECONDS;
}

/** The day with a number. */
export function dayText(number: number): string {
  return new Date(number * DAY_MILLISECONDS).toISOString().slice(0, 10);
}
