/** The time filters `--since`, `--date`, `--backfill` and `--period`. All times are UTC. */

/** The time range of commits and events: from `since`, until before `until`; epoch milliseconds. */
export interface TimeWindow {
  readonly since: number | undefined;
  readonly until: number | undefined;
  /**
   * The beginning that was asked for, where old records are not kept. It decides on limits, and on whether a sync resumes:
   * `since` moves every day. Absent: `since`.
   */
  readonly asked?: { readonly since: number | undefined };
}

export const NO_WINDOW: TimeWindow = { since: undefined, until: undefined };

const DAY = 86_400_000;
/** The instants that databases and RFC 3339 can represent: the years 1 to 9999, in epoch milliseconds. */
const EARLIEST = -62_135_596_800_000;
const LATEST = 253_402_300_799_999;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Computes the window from the options.
 *
 * `--period N` begins with the day N days before today, and has no end. `--date D --backfill N` is the N days that end with D, D included; Defaults: N is 1, D is today.
 *
 * @param now the current time, for a `--backfill` without `--date`, and for `--period`
 * @returns the window, or every problem found
 */
export function parseTimeWindow(
  options: { readonly since?: string; readonly date?: string; readonly backfill?: string; readonly period?: string },
  now: number,
): { readonly window: TimeWindow } | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const since = options.since === undefined ? undefined : parseInstant(options.since);
  if (options.since !== undefined && since === undefined) {
    problems.push(
      `--since must be an ISO date or date and time, such as 2026-01-31 or 2026-01-31T12:00:00Z; it is ${quoted(options.since)}`,
    );
  }
  const date = options.date === undefined ? undefined : parseDate(options.date);
  if (options.date !== undefined && date === undefined) {
    problems.push(`--date must be a calendar date, YYYY-MM-DD; it is ${quoted(options.date)}`);
  }
  const days = options.backfill === undefined ? 1 : parseDays(options.backfill);
  if (days === undefined) {
    problems.push(`--backfill must be a whole number of days, at least 1; it is ${quoted(options.backfill ?? '')}`);
  }
  if (options.since !== undefined && (options.date !== undefined || options.backfill !== undefined)) {
    problems.push('--since cannot be used together with --date or --backfill');
  }
  const period = options.period === undefined ? undefined : parseDays(options.period);
  if (options.period !== undefined && period === undefined) {
    problems.push(`--period must be a whole number of days, at least 1; it is ${quoted(options.period)}`);
  }
  if (options.period !== undefined && (options.since ?? options.date ?? options.backfill) !== undefined) {
    problems.push('--period cannot be used together with --since, --date or --backfill');
  }
  if (problems.length > 0) return { problems };
  if (period !== undefined) {
    return { window: { since: clamped((Math.floor(now / DAY) - period) * DAY), until: undefined } };
  }
  if (options.date === undefined && options.backfill === undefined) return { window: { since, until: undefined } };
  const until = (date ?? Math.floor(now / DAY) * DAY) + DAY;
  return { window: { since: clamped(until - (days ?? 1) * DAY), until: clamped(until) } };
}

/** The beginning that was asked for; undefined: none was. */
export function askedSince({ since, asked }: TimeWindow): number | undefined {
  return asked === undefined ? since : asked.since;
}

/**
 * The window without what would be removed by its age at once. It begins a day earlier than what is kept, because the days
 * of the organization may begin earlier than those of UTC.
 *
 * @param days the days before today of which records are kept
 */
export function withoutOld(window: TimeWindow, days: number, now: number): TimeWindow {
  const kept = clamped((Math.floor(now / DAY) - days - 1) * DAY);
  return { ...window, since: Math.max(window.since ?? kept, kept), asked: { since: window.since } };
}

function clamped(instant: number): number {
  return Math.min(Math.max(instant, EARLIEST), LATEST);
}

/** Parses an ISO date (midnight) or date and time to epoch milliseconds; UTC unless it has an offset. */
export function parseInstant(text: string): number | undefined {
  if (DATE.test(text)) return parseDate(text);
  if (!DATE_TIME.test(text) || parseDate(text.slice(0, 10)) === undefined) return undefined;
  const iso = text.replace(' ', 'T');
  const value = Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(iso.slice(10)) ? iso : `${iso}Z`);
  return Number.isNaN(value) ? undefined : clamped(value);
}

function parseDate(text: string): number | undefined {
  if (!DATE.test(text)) return undefined;
  const value = Date.parse(`${text}T00:00:00Z`);
  // 30 February would become a day in March, and year 0 does not exist.
  return value >= EARLIEST && new Date(value).toISOString().startsWith(text) ? value : undefined;
}

function parseDays(text: string): number | undefined {
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
