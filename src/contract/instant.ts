/** The latest instant whose year has four digits, in epoch milliseconds. */
export const LATEST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Whether the first ten characters of a text are a day of the calendar. `Date` reads 30 February as 2 March; RFC 3339
 * (section 5.7) has no such day.
 */
export function beginsWithDay(text: string): boolean {
  const day = text.slice(0, 10);
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/**
 * Parses a date-time that was validated by the format of the contract. The format allows forms that `Date` cannot parse:
 * a blank or a lower-case t as separator, zones without minutes, and leap seconds, which count as the end of their
 * minute. Instants before 1970 and after the year 9999 are clamped: nothing is recorded there, and databases and
 * engines cannot represent all of them.
 */
export function instantOf(text: string): Date {
  const milliseconds = Date.parse(
    text
      .toUpperCase()
      .replace(/\s/, 'T')
      .replace(/:60(?=[.Z+-])/, ':59')
      .replace(/([+-]\d\d):?(\d\d)?$/, (_zone, hours: string, minutes = '00') => `${hours}:${String(minutes)}`),
  );
  if (Number.isNaN(milliseconds)) throw new Error(`${JSON.stringify(text)} is not a date-time of the contract`);
  return new Date(Math.min(Math.max(milliseconds, 0), LATEST_INSTANT));
}
