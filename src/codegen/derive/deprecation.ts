/** The headers by which a deprecated operation warns its callers: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). */
import type { OperationObject } from '../read/openapi-document.js';

/**
 * @returns the headers of all replies of the operation; null when it is not deprecated
 * @throws Error when a day is missing or wrong, or stands at an operation that is not deprecated
 */
export function readDeprecation(operation: OperationObject): Readonly<Record<string, string>> | null {
  const { deprecated = false, 'x-deprecated-since': since, 'x-sunset': sunset } = operation;
  if (!deprecated) {
    if (since === undefined && sunset === undefined) return null;
    throw new Error('x-deprecated-since and x-sunset are for operations with deprecated: true');
  }
  const start = parseDay('x-deprecated-since', since);
  const headers = { Deprecation: `@${start.getTime() / 1000}` };
  if (sunset === undefined) return headers;
  const end = parseDay('x-sunset', sunset);
  if (end <= start) throw new Error('x-sunset is a day after x-deprecated-since');
  return { ...headers, Sunset: end.toUTCString() };
}

/** The beginning of a day in UTC. */
function parseDay(keyword: string, value: unknown): Date {
  const day = typeof value === 'string' ? new Date(`${value}T00:00:00Z`) : null;
  // 30 February is a valid date for the constructor, and becomes another day.
  if (day === null || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== value) {
    const given = value === undefined ? 'it is missing, and' : JSON.stringify(value);
    throw new Error(`${keyword}: ${given} has to be a day such as "2026-11-30"`);
  }
  return day;
}
