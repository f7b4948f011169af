/** The calendar that the figures of a query follow. Output says it where it is not the usual one. */
import { persistedQueries } from '../../generated/graphql/schema.js';
import { calendarFromText, type OrganizationCalendar } from '../analytics/organization-calendar.js';
import { isObject, type JsonObject } from './query-rows.js';
import type { Ask } from './query-session.js';

/** Asks for the calendar of the organization. */
export async function calendarBy(ask: Ask): Promise<OrganizationCalendar> {
  const { catalog = null } = await ask(persistedQueries['catalog-limits'].text, {});
  return calendarFromText(JSON.stringify(isObject(catalog) ? catalog['calendar'] : null));
}

/** Cells for each row of a file; none for the usual calendar. */
export function calendarCells({ weekStartsOn, timeZone }: OrganizationCalendar): JsonObject {
  return {
    ...(weekStartsOn !== 'MONDAY' && { 'calendar.weekStartsOn': weekStartsOn }),
    ...(timeZone !== 'UTC' && { 'calendar.timeZone': timeZone }),
  };
}

/** A line for people; empty for the usual calendar. */
export function calendarLine({ weekStartsOn, timeZone }: OrganizationCalendar): string {
  const day = weekStartsOn.charAt(0) + weekStartsOn.slice(1).toLowerCase();
  const sentences = [
    ...(weekStartsOn === 'MONDAY' ? [] : [`Weeks begin on ${day}.`]),
    ...(timeZone === 'UTC' ? [] : [`Days are those of ${timeZone}.`]),
  ];
  return sentences.length === 0 ? '' : `${sentences.join(' ')}\n`;
}
