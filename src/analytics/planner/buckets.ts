/** The buckets of a range, and their numbers in an engine. All dates are UTC. */
import type { DateRange } from '../analytics.js';
import type { Interval } from '../vocabulary.js';

const DAY_MILLISECONDS = 86_400_000;

export interface Buckets {
  readonly interval: Interval;
  /** The first day of each, in order; weeks begin on Monday, and the first bucket may begin before the range. */
  readonly starts: readonly string[];
  /**
   * The engine subtracts this to number buckets from 0: the first start in days since 1970-01-01, or for months
   * year * 12 + month.
   */
  readonly origin: number;
}

/** The buckets that overlap a range. */
export function bucketsOf(interval: Interval, range: DateRange): Buckets {
  const first = bucketNumber(interval, range.startDate);
  const starts = Array.from({ length: countBuckets(interval, range) }, (_, index) => startOf(interval, first + index));
  return { interval, starts, origin: interval === 'MONTH' ? first : dayNumber(startOf(interval, first)) };
}

/** The number of buckets that overlap a range. Zero or negative if it ends before it starts. */
export function countBuckets(interval: Interval, { startDate, endDate }: DateRange): number {
  return bucketNumber(interval, endDate) - bucketNumber(interval, startDate) + 1;
}

function bucketNumber(interval: Interval, day: string): number {
  switch (interval) {
    case 'DAY':
      return dayNumber(day);
    case 'WEEK':
      return Math.floor((dayNumber(day) + 3) / 7); // 1970-01-01 was a Thursday, the third day after a Monday
    case 'MONTH':
      return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
  }
}

/** The first day of the bucket with a number. */
function startOf(interval: Interval, bucket: number): string {
  switch (interval) {
    case 'DAY':
      return dayText(bucket);
    case 'WEEK':
      return dayText(bucket * 7 - 3);
    case 'MONTH': {
      const year = Math.floor((bucket - 1) / 12);
      return `${String(year).padStart(4, '0')}-${String(bucket - year * 12).padStart(2, '0')}-01`;
    }
  }
}

/** The number of a day, as `2026-01-31`, since 1970. */
export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MILLISECONDS;
}

/** The day with a number. */
export function dayText(number: number): string {
  return new Date(number * DAY_MILLISECONDS).toISOString().slice(0, 10);
}
