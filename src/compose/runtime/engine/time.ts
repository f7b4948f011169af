/** Parses times in the formats of engines. */

const rfc3339 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?\s*(Z|[+-]\d\d:?\d\d)/;

/**
 * RFC 3339 in UTC with nine digits, so that strings sort by time. Undefined for invalid times, and for the year 1,
 * which engines use for "never".
 */
export function utcTime(text: string): string | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, date = '', time = '', fraction = '', zone = 'Z'] = match;
  const digits = fraction.slice(0, 9).padEnd(9, '0');
  // Fast path: nearly all log lines have this form and need no conversion.
  if (zone === 'Z' && !Number.isNaN(Date.parse(`${date}T${time}Z`))) {
    return Number(date.slice(0, 4)) <= 1 ? undefined : `${date}T${time}.${digits}Z`;
  }
  const offset = zone === 'Z' || zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  const seconds = new Date(`${date}T${time}${offset}`);
  if (Number.isNaN(seconds.getTime()) || seconds.getUTCFullYear() <= 1) return undefined;
  return `${seconds.toISOString().slice(0, 19)}.${digits}Z`;
}

/** From whole seconds since 1970 and nanoseconds within the second. */
export function utcTimeOf(seconds: number, nanoseconds = 0): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(nanoseconds).padStart(9, '0')}Z`;
}

/** Seconds since 1970 with a fraction, the form of the Engine API and Podman. */
export function epochSeconds(time: Date): string {
  return (time.getTime() / 1000).toFixed(3);
}
