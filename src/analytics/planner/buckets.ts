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
export function bucketsOf(interval: Interval, { startDate, endDate }: DateRange): Buckets {
  const starts: string[] = [];
  let start = startOf(interval, startDate);
  while (start <= endDate) {
    starts.push(start);
    start = next(interval, start);
  }
  const [first = startDate] = starts;
  return { interval, starts, origin: interval === 'MONTH' ? monthNumber(first) : dayNumber(first) };
}

function startOf(interval: Interval, day: string): string {
  switch (interval) {
    case 'DAY':
      return day;
    case 'WEEK':
      // 1970-01-01 was a Thursday.
      return dayText(dayNumber(day) - ((((dayNumber(day) + 3) % 7) + 7) % 7));
    case 'MONTH':
      return `${day.slice(0, 8)}01`;
  }
}

function next(interval: Interval, start: string): string {
  switch (interval) {
    case 'DAY':
      return dayText(dayNumber(start) + 1);
    case 'WEEK':
      return dayText(dayNumber(start) + 7);
    case 'MONTH':
      return startOf('MONTH', dayText(dayNumber(start) + 31));
  }
}

/** The number of a day, as `2026-01-31`, since 1970. */
export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MILLISECONDS;
}

function monthNumber(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
}

/** The day with a number. */
export function dayText(number: number): string {
  return new Date(number * DAY_MILLISECONDS).toISOString().slice(0, 10);
}
