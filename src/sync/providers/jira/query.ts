/** Conditions of the query language of Jira (JQL). */
import type { JiraSite } from './project.js';

/** A key may be a word of the language. */
export function inProject(key: string): string {
  return `project = "${key}"`;
}

/**
 * The issues that have changed since a time. Times in queries have minutes, in the zone of the user; without a user, in
 * that of the site. If the zone is unknown, the condition begins early enough for every zone.
 *
 * @param since epoch milliseconds
 */
export function changedSince(since: number, { timeZone }: Pick<JiraSite, 'timeZone'>): string {
  const local = timeZone === null ? undefined : minutesIn(timeZone, since);
  return `updated >= "${local ?? minutesIn('UTC', since - WESTERNMOST) ?? ''}"`;
}

/** No zone is further behind UTC. */
const WESTERNMOST = 12 * 60 * 60 * 1000;

/** `2026-01-14 11:50`; undefined if this runtime does not know the zone. */
function minutesIn(timeZone: string, instant: number): string | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { ...MINUTES, timeZone });
  } catch {
    return undefined;
  }
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`;
}

const MINUTES = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const;
