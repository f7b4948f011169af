/** The days of a time zone, whose clocks may be moved: a day has 23, 24 or 25 hours, and a few zones skipped one. */
import { dayNumber, dayText } from './planner/buckets.js';

export interface TimeZone {
  /** The name in the IANA database, such as `Europe/Berlin`. */
  readonly name: string;
  /** The day of a moment, as YYYY-MM-DD. @param moment epoch milliseconds */
  dayOf(moment: number): string;
  /** The moment at which a day begins, in epoch milliseconds. */
  startOf(day: string): number;
  /** The moment after it, at which the next day begins. */
  endOf(day: string): number;
}

const DAY_MILLISECONDS = 86_400_000;

/** Whether a text is the name of a time zone. */
export function isTimeZone(name: string): boolean {
  // Offsets, such as +02:00, are time zones for some releases of Node.js only.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    offsetFormat(name);
    return true;
  } catch {
    return false;
  }
}

const zones = new Map<string, TimeZone>();

/**
 * The zone with a name.
 *
 * @throws RangeError for an unknown name
 */
export function timeZoneOf(name: string): TimeZone {
  let zone = zones.get(name);
  if (zone === undefined) zones.set(name, (zone = name === 'UTC' ? utc() : zoneWithChanges(name)));
  return zone;
}

function utc(): TimeZone {
  const textOf = cachedTexts();
  return {
    name: 'UTC',
    dayOf: (moment) => textOf(Math.floor(moment / DAY_MILLISECONDS)),
    startOf: (day) => dayNumber(day) * DAY_MILLISECONDS,
    endOf: (day) => (dayNumber(day) + 1) * DAY_MILLISECONDS,
  };
}

function zoneWithChanges(name: string): TimeZone {
  const textOf = cachedTexts();
  const offsetAt = offsetsOf(name);
  // The rules of the zone are asked once for each day, since that takes longer than the rest of a unit's times.
  const starts = new Map<number, number>();
  const startOf = (day: number): number => {
    let start = starts.get(day);
    if (start === undefined) starts.set(day, (start = startWith(offsetAt, day)));
    return start;
  };
  return {
    name,
    dayOf: (moment) => {
      // No zone is a whole day ahead of UTC or behind it.
      const day = Math.floor(moment / DAY_MILLISECONDS);
      if (moment < startOf(day)) return textOf(day - 1);
      return textOf(moment < startOf(day + 1) ? day : day + 1);
    },
    startOf: (day) => startOf(dayNumber(day)),
    endOf: (day) => startOf(dayNumber(day) + 1),
  };
}

/** There are few days, and formatting one costs as much as the rest of a unit's times. */
function cachedTexts(): (day: number) => string {
  const texts = new Map<number, string>();
  return (day) => {
    let text = texts.get(day);
    if (text === undefined) texts.set(day, (text = dayText(day)));
    return text;
  };
}

/**
 * A day begins when clocks show midnight for the first time, or else when they are moved from the day before into it.
 *
 * @param offsetAt how much clocks are ahead of UTC at a moment, in milliseconds
 */
function startWith(offsetAt: (moment: number) => number, day: number): number {
  const midnight = day * DAY_MILLISECONDS;
  let [before, after] = [midnight - DAY_MILLISECONDS, midnight + DAY_MILLISECONDS];
  const [earlier, later] = [offsetAt(before), offsetAt(after)];
  const starts = [midnight - earlier, midnight - later].filter((start) => start + offsetAt(start) === midnight);
  if (starts.length > 0) return Math.min(...starts);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === earlier) before = middle;
    else after = middle;
  }
  return after;
}

function offsetFormat(name: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
}

function offsetsOf(name: string): (moment: number) => number {
  const format = offsetFormat(name);
  return (moment) => {
    // Such as `3/29/2026, GMT+02:00`. Before zones were introduced, offsets had seconds.
    const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(format.format(moment));
    if (match === null) throw new Error(`The offset of ${name} cannot be read.`);
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
    const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
    return sign === '-' ? -offset : offset;
  };
}
