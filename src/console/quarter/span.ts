/** The period of the page and the one that it is compared with, as the query string holds them. */
import { daysOf, endsUnread, periodOf, type DateRange, type KnownDays } from '../analytics/period.js';

/** The periods that are offered, by the names that they have on all pages. */
export const spanNames = [
  'this_quarter',
  'last_quarter',
  'this_month',
  'last_month',
  'this_year',
  'last_year',
] as const;

export type SpanName = (typeof spanNames)[number];
export type Unit = 'quarter' | 'month' | 'year';
/** `before`: the period directly before; `year_ago`: the same one of the year before. */
export type Comparison = 'before' | 'year_ago';

export interface Span {
  readonly name: SpanName;
  readonly unit: Unit;
  readonly comparison: Comparison;
  readonly range: DateRange;
  /** What the range is compared with; of a running period, the equally long beginning of the former one. */
  readonly previous: DateRange;
  /** Whether the period is not over. */
  readonly isRunning: boolean;
}

const monthsOf: Readonly<Record<Unit, number>> = { month: 1, quarter: 3, year: 12 };

/** A quarter that has just begun says little: until then, the page opens with the last one. */
const daysOfQuarterToOpenWith = 28;

/** @param today YYYY-MM-DD, in the time zone of the organization */
export function spanFrom(search: URLSearchParams, today: string): Span {
  const name = spanNames.find((spanName) => spanName === search.get('range')) ?? spanToOpenWith(today);
  const unit: Unit = name.endsWith('quarter') ? 'quarter' : name.endsWith('month') ? 'month' : 'year';
  const comparison = unit !== 'year' && search.get('compare') === 'year_ago' ? 'year_ago' : 'before';
  const range = rangeNamed(name, today);
  const months = monthsOf[unit];
  const startDate = monthsAfter(range.startDate, comparison === 'year_ago' ? -12 : -months);
  const lastDay = daysAfter(monthsAfter(startDate, months), -1);
  const isRunning = name.startsWith('this_');
  const sameLength = daysAfter(startDate, daysOf(range.startDate, range.endDate) - 1);
  const endDate = isRunning && sameLength < lastDay ? sameLength : lastDay;
  return { name, unit, comparison, range, previous: { startDate, endDate }, isRunning };
}

function spanToOpenWith(today: string): SpanName {
  const { startDate, endDate } = rangeNamed('this_quarter', today);
  return daysOf(startDate, endDate) < daysOfQuarterToOpenWith ? 'last_quarter' : 'this_quarter';
}

function rangeNamed(name: SpanName, today: string): DateRange {
  return periodOf(new URLSearchParams({ range: name }), today).range;
}

/** What keeps two periods from being compared; null: all work of both is known. */
export type Obstacle = { readonly kind: 'since' | 'until'; readonly day: string } | { readonly kind: 'nothing' } | null;

/** The rule of the API for `PREVIOUS_PERIOD`, for any two periods. */
export function obstacleTo({ knownSince, knownUntil }: KnownDays, { range, previous }: Span): Obstacle {
  if (knownSince == null) return { kind: 'nothing' };
  if (knownSince > previous.startDate) return { kind: 'since', day: knownSince };
  return knownUntil != null && endsUnread(range, knownUntil) ? { kind: 'until', day: knownUntil } : null;
}

function monthsAfter(day: string, months: number): string {
  const date = new Date(day); // the first of a month
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 10);
}

function daysAfter(day: string, days: number): string {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
