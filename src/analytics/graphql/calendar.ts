import type { DateRange } from '../analytics.js';
import type { Interval } from '../vocabulary.js';

/** Whether a text is a calendar day from year 1 on, as YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // 31 February parses as a day in March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The number of days in a range, including both ends. Zero or negative if it ends before it starts. */
export function countDays({ startDate, endDate }: DateRange): number {
  return epochDay(endDate) - epochDay(startDate) + 1;
}

/** The number of calendar buckets that overlap a range. */
export function countBuckets(interval: Interval, { startDate, endDate }: DateRange): number {
  return bucketNumber(interval, endDate) - bucketNumber(interval, startDate) + 1;
}

function bucketNumber(interval: Interval, date: string): number {
  switch (interval) {
    case 'DAY':
      return epochDay(date);
    case 'WEEK':
      return Math.floor((epochDay(date) + 3) / 7); // 1970-01-01 was a Thursday, the third day after a Monday
    case 'MONTH':
      return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));
  }
}

/** Days since 1970-01-01. All days are UTC days, so they have equal length. */
function epochDay(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 86_400_000;
}
