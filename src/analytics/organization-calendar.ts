/** The calendar of an organization, and the text in which it is stored. */
import { isTimeZone } from './time-zone.js';
import { WEEK_STARTS, type WeekStart } from './vocabulary.js';

export interface OrganizationCalendar {
  readonly weekStartsOn: WeekStart;
  /** The name of the time zone whose days are counted. */
  readonly timeZone: string;
}

/** The calendar of an organization that has stored none. */
const USUAL_CALENDAR: OrganizationCalendar = { weekStartsOn: 'MONDAY', timeZone: 'UTC' };

/** The text that is stored. */
export function calendarAsText(calendar: OrganizationCalendar): string {
  return JSON.stringify(calendar);
}

/**
 * Reads a stored text.
 *
 * @param text undefined or empty: none was stored
 * @throws Error if it is not a text of {@link calendarAsText}
 */
export function calendarFromText(text: string | undefined): OrganizationCalendar {
  if (text === undefined || text === '') return USUAL_CALENDAR;
  const stored: unknown = JSON.parse(text);
  if (typeof stored !== 'object' || stored === null || !('weekStartsOn' in stored)) throw unreadable(text);
  const weekStartsOn = WEEK_STARTS.find((day) => day === stored.weekStartsOn);
  // Calendars had no time zone at first.
  const timeZone = 'timeZone' in stored ? stored.timeZone : USUAL_CALENDAR.timeZone;
  if (weekStartsOn === undefined || typeof timeZone !== 'string' || !isTimeZone(timeZone)) throw unreadable(text);
  return { weekStartsOn, timeZone };
}

function unreadable(text: string): Error {
  return new Error(`The stored calendar of an organization is ${text}, which this release cannot read.`);
}
