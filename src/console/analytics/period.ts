/** The period of a page, as the query string holds it: a preset by its name, or two days. */
import type { SearchParts } from './search.js';

/** A range of calendar days (YYYY-MM-DD, in UTC); both ends are part of it. */
export interface DateRange {
  readonly startDate: string;
  readonly endDate: string;
}

/** How long a bucket of a timeseries is. */
export type Interval = 'DAY' | 'WEEK' | 'MONTH';

export interface Period {
  /** The name of a preset; `custom`: the days were chosen. */
  readonly name: PresetName | 'custom';
  readonly range: DateRange;
  /** The same number of days right before, to compare with. */
  readonly previous: DateRange;
}

export const presets = {
  '30d': { label: 'Last 30 days', days: 30 },
  '90d': { label: 'Last 90 days', days: 90 },
  '180d': { label: 'Last 6 months', days: 182 },
  '365d': { label: 'Last 12 months', days: 365 },
} as const;

export type PresetName = keyof typeof presets;

/** The server refuses more (`max_days` of the catalog's limits). */
const mostDays = 365;
const dayMs = 86_400_000;

/**
 * Reads the period out of the query string. What cannot be read is the default, the last 90 days.
 *
 * @param now ms since 1970
 */
export function periodOf(search: URLSearchParams, now: number): Period {
  const name = search.get('range') ?? '90d';
  const [start, end] = [search.get('start') ?? '', search.get('end') ?? ''];
  if (name === 'custom' && faultOfRange(start, end) === null) {
    return { name, range: { startDate: start, endDate: end }, previous: before(start, daysOf(start, end)) };
  }
  const preset = isPreset(name) ? name : '90d';
  const { days } = presets[preset];
  const range = { startDate: dayAt(now - (days - 1) * dayMs), endDate: dayAt(now) };
  return { name: preset, range, previous: before(range.startDate, days) };
}

/** What is wrong with a range, for people; null when it can be asked for. */
export function faultOfRange(start: string, end: string): string | null {
  if (!isDay(start) || !isDay(end)) return 'Choose both days.';
  if (end < start) return 'The last day is before the first.';
  const days = daysOf(start, end);
  return days > mostDays ? `At most ${mostDays} days can be shown; these are ${days}.` : null;
}

/** The parts of the query string that hold a period. */
export function partsOfPeriod(period: Pick<Period, 'name' | 'range'>): SearchParts {
  if (period.name !== 'custom') return { range: period.name, start: null, end: null };
  return { range: 'custom', start: period.range.startDate, end: period.range.endDate };
}

/** The buckets of a period that give a chart between 10 and 60 points. */
export function intervalOf({ startDate, endDate }: DateRange): 'DAY' | 'WEEK' {
  return daysOf(startDate, endDate) <= 45 ? 'DAY' : 'WEEK';
}

/** The days of a bucket that begins on `date`, cut to the range. */
export function daysOfBucket(date: string, interval: Interval, range: DateRange): DateRange {
  const first = new Date(date);
  const next = new Date(first);
  if (interval === 'MONTH') next.setUTCMonth(next.getUTCMonth() + 1);
  else next.setUTCDate(next.getUTCDate() + (interval === 'WEEK' ? 7 : 1));
  const last = dayAt(next.getTime() - dayMs);
  return {
    startDate: date < range.startDate ? range.startDate : date,
    endDate: last > range.endDate ? range.endDate : last,
  };
}

/** How many buckets the calendar puts a range into; weeks begin on Monday. */
export function bucketsOf({ startDate, endDate }: DateRange, interval: Interval): number {
  if (interval === 'DAY') return daysOf(startDate, endDate);
  const [start, end] = [new Date(startDate), new Date(endDate)];
  if (interval === 'MONTH') {
    return (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth() + 1;
  }
  return weekOf(end) - weekOf(start) + 1;
}

/** The first days of the buckets of a range, in order. The first one may be before the range. */
export function datesOf(range: DateRange, interval: Interval): readonly string[] {
  const first = new Date(range.startDate);
  if (interval === 'MONTH') first.setUTCDate(1);
  if (interval === 'WEEK') first.setUTCDate(first.getUTCDate() - ((first.getUTCDay() + 6) % 7));
  return Array.from({ length: bucketsOf(range, interval) }, (_bucket, at) => {
    const date = new Date(first);
    if (interval === 'MONTH') date.setUTCMonth(date.getUTCMonth() + at);
    else date.setUTCDate(date.getUTCDate() + at * (interval === 'WEEK' ? 7 : 1));
    return dayAt(date.getTime());
  });
}

/** Weeks since the one of 1970-01-01, which was a Thursday. */
function weekOf(day: Date): number {
  return Math.floor((day.getTime() / dayMs + 3) / 7);
}

function before(start: string, days: number): DateRange {
  const first = Date.parse(start);
  return { startDate: dayAt(first - days * dayMs), endDate: dayAt(first - dayMs) };
}

/** Whether some days of a range are in the future. @param now ms since 1970 */
export function endsInFuture({ endDate }: DateRange, now: number): boolean {
  return endDate > dayAt(now);
}

/** Whether no sync has read the last days of a range. One day does not count: it may be today. */
export function endsUnread({ endDate }: Pick<DateRange, 'endDate'>, knownUntil: string): boolean {
  return Date.parse(endDate) > Date.parse(knownUntil) + dayMs;
}

/** How many days a range has. */
export function daysOf(start: string, end: string): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / dayMs) + 1;
}

function dayAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}

function isPreset(name: string): name is PresetName {
  return Object.hasOwn(presets, name);
}
