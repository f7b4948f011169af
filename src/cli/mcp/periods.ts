/** The periods that arguments of tools may name. */
import type { periodNames } from '../../../generated/graphql/tools.js';

export type PeriodName = (typeof periodNames)[number];

export interface DateRange {
  readonly startDate: string;
  /** Included. */
  readonly endDate: string;
}

/** The dates of a period that ends today or before. @param day today, as YYYY-MM-DD */
export function periodOf(name: PeriodName, day: string): DateRange {
  const today = new Date(day);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  const quarter = month - (month % 3);
  const between = (start: number, end: number | Date): DateRange => ({
    startDate: dateOf(start),
    endDate: dateOf(end),
  });
  switch (name) {
    case 'last_7_days':
      return between(today.getTime() - 6 * DAY_MS, today);
    case 'last_30_days':
      return between(today.getTime() - 29 * DAY_MS, today);
    case 'last_90_days':
      return between(today.getTime() - 89 * DAY_MS, today);
    case 'this_month':
      return between(Date.UTC(year, month), today);
    case 'last_month':
      return between(Date.UTC(year, month - 1), Date.UTC(year, month, 0));
    case 'this_quarter':
      return between(Date.UTC(year, quarter), today);
    case 'last_quarter':
      return between(Date.UTC(year, quarter - 3), Date.UTC(year, quarter, 0));
    case 'this_year':
      return between(Date.UTC(year, 0), today);
    case 'last_year':
      return between(Date.UTC(year - 1, 0), Date.UTC(year, 0, 0));
  }
}

const DAY_MS = 86_400_000;

function dateOf(at: number | Date): string {
  return new Date(at).toISOString().slice(0, 10);
}
