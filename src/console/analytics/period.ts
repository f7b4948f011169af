/** The period of a page, as the query string holds it: a preset by its name, or two days. */
import type { CatalogLimitsQuery } from '@plumbline/sdk/analytics';
import type { SearchParts } from './search-parts.js';

/** The calendar of an organization. */
export type Calendar = CatalogLimitsQuery['catalog']['calendar'];

/** A range of calendar days (YYYY-MM-DD) in the time zone of the organization; both ends are part of it. */
export interface DateRange {
  readonly startDate: string;
  readonly endDate: string;
}

/** A part of each answer of the analytics. */
export interface KnownDays {
  readonly knownSince?: string | null;
  readonly knownUntil?: string | null;
  readonly historyLimits: readonly { readonly repo: string; readonly workType: string; readonly knownSince: string }[];
}

/** How long a bucket of a timeseries is. */
export type Interval = 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR';

export interface Period {
  /** The name of a preset; `custom`: the days were chosen. */
  readonly name: PresetName | 'custom';
  readonly range: DateRange;
  /** The same number of days right before, to compare with. */
  readonly previous: DateRange;
}

/** The last days of a number, or a month, quarter or year: this one up to today, or the last one. */
export const presets = {
  '30d': { label: 'Last 30 days', days: 30 },
  '90d': { label: 'Last 90 days', days: 90 },
  '180d': { label: 'Last 6 months', days: 182 },
  '365d': { label: 'Last 12 months', days: 365 },
  this_month: { label: 'This month', months: 1, isOver: false },
  last_month: { label: 'Last month', months: 1, isOver: true },
  this_quarter: { label: 'This quarter', months: 3, isOver: false },
  last_quarter: { label: 'Last quarter', months: 3, isOver: true },
  this_year: { label: 'This year', months: 12, isOver: false },
  last_year: { label: 'Last year', months: 12, isOver: true },
} as const;

export type PresetName = keyof typeof presets;

const dayMs = 86_400_000;

/**
 * Reads the period out of the query string. What cannot be read is the default, the last 90 days.
 *
 * @param today YYYY-MM-DD
 */
export function periodOf(search: URLSearchParams, today: string): Period {
  const name = search.get('range') ?? '90d';
  const [start, end] = [search.get('start') ?? '', search.get('end') ?? ''];
  if (name === 'custom' && isDay(start) && isDay(end) && start <= end) {
    return periodIn(name, { startDate: start, endDate: end });
  }
  const preset = isPreset(name) ? name : '90d';
  return periodIn(preset, rangeOf(preset, today));
}

function periodIn(name: Period['name'], range: DateRange): Period {
  return { name, range, previous: before(range.startDate, daysOf(range.startDate, range.endDate)) };
}

function rangeOf(name: PresetName, today: string): DateRange {
  const preset = presets[name];
  const date = new Date(today);
  if ('days' in preset) return { startDate: dayAt(date.getTime() - (preset.days - 1) * dayMs), endDate: today };
  const month = Math.floor(date.getUTCMonth() / preset.months) * preset.months;
  const start = (from: number): number => Date.UTC(date.getUTCFullYear(), from);
  return preset.isOver
    ? { startDate: dayAt(start(month - preset.months)), endDate: dayAt(start(month) - dayMs) }
    : { startDate: dayAt(start(month)), endDate: today };
}

/**
 * What is wrong with a range, for people; null when it can be asked for.
 *
 * @param maxDays the server refuses more
 */
export function faultOfRange(start: string, end: string, maxDays: number): string | null {
  if (!isDay(start) || !isDay(end)) return 'Choose both days.';
  if (end < start) return 'The last day is before the first.';
  if (!isTooLong({ startDate: start, endDate: end }, maxDays)) return null;
  return `At most ${maxDays} days can be shown; these are ${daysOf(start, end)}.`;
}

/** Whether the server refuses a range. To it, a year from 1 January to 31 December has 365 days. */
export function isTooLong({ startDate, endDate }: DateRange, maxDays: number): boolean {
  const isYear = startDate.endsWith('-01-01') && endDate === `${startDate.slice(0, 4)}-12-31`;
  return (isYear ? 365 : daysOf(startDate, endDate)) > maxDays;
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
  const last = dayAt(Date.parse(startAfter(date, interval, 1)) - dayMs);
  return {
    startDate: date < range.startDate ? range.startDate : date,
    endDate: last > range.endDate ? range.endDate : last,
  };
}

/** How many buckets the calendar of the organization puts a range into. */
export function bucketsOf({ startDate, endDate }: DateRange, interval: Interval, calendar: Calendar): number {
  if (interval === 'DAY') return daysOf(startDate, endDate);
  const [start, end] = [new Date(startDate), new Date(endDate)];
  if (interval === 'WEEK') return weekOf(end, calendar) - weekOf(start, calendar) + 1;
  return bucketOfMonth(end, months[interval]) - bucketOfMonth(start, months[interval]) + 1;
}

/** The first days of the buckets of a range, in order. The first one may be before the range. */
export function datesOf(range: DateRange, interval: Interval, calendar: Calendar): readonly string[] {
  const first = new Date(range.startDate);
  if (interval === 'WEEK') first.setTime((weekOf(first, calendar) * 7 - daysIntoWeek[calendar.weekStartsOn]) * dayMs);
  else if (interval !== 'DAY') first.setUTCMonth(first.getUTCMonth() - (first.getUTCMonth() % months[interval]), 1);
  const date = dayAt(first.getTime());
  return Array.from({ length: bucketsOf(range, interval, calendar) }, (_bucket, at) => startAfter(date, interval, at));
}

/** The months of a bucket. */
const months = { MONTH: 1, QUARTER: 3, YEAR: 12 } as const;

/** The first day of the bucket that is some buckets after the one that begins on `date`. */
function startAfter(date: string, interval: Interval, buckets: number): string {
  const start = new Date(date);
  if (interval === 'DAY') start.setUTCDate(start.getUTCDate() + buckets);
  else if (interval === 'WEEK') start.setUTCDate(start.getUTCDate() + buckets * 7);
  else start.setUTCMonth(start.getUTCMonth() + buckets * months[interval]);
  return dayAt(start.getTime());
}

function bucketOfMonth(day: Date, length: number): number {
  return Math.floor((day.getUTCFullYear() * 12 + day.getUTCMonth()) / length);
}

/** How many days 1970-01-01, a Thursday, is after the first day of its week. */
const daysIntoWeek = { MONDAY: 3, SUNDAY: 4, SATURDAY: 5 } as const;

/** Weeks since the one of 1970-01-01. */
function weekOf(day: Date, { weekStartsOn }: Calendar): number {
  return Math.floor((day.getTime() / dayMs + daysIntoWeek[weekStartsOn]) / 7);
}

function before(start: string, days: number): DateRange {
  const first = Date.parse(start);
  return { startDate: dayAt(first - days * dayMs), endDate: dayAt(first - dayMs) };
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
