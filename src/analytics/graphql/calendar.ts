import type { DateRange } from '../analytics.js';
import { dayNumber, dayText } from '../planner/buckets.js';
import { FIRST_DAY, LAST_DAY } from '../store/rows.js';

/** Whether a text is a calendar day that every store can keep, as YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < FIRST_DAY || text > LAST_DAY) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // 31 February parses as a day in March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The number of days in a range, including both ends. Zero or negative if it ends before it starts. */
export function countDays({ startDate, endDate }: DateRange): number {
  return dayNumber(endDate) - dayNumber(startDate) + 1;
}

/** Whether a range exceeds a limit of days. A year from 1 January to 31 December counts as 365 days. */
export function isTooLong(range: DateRange, maxDays: number): boolean {
  const { startDate, endDate } = range;
  const isYear = startDate.endsWith('-01-01') && endDate === `${startDate.slice(0, 4)}-12-31`;
  return (isYear ? 365 : countDays(range)) > maxDays;
}

/** The day that is some days after another one. */
export function dayAfter(date: string, days: number): string {
  return dayText(dayNumber(date) + days);
}
