import { calendarFromText, type OrganizationCalendar } from '../../analytics/organization-calendar.js';
import type { DerivationResources } from './derivation/resources.js';

/** The calendar of an organization, which is stored beside its records. */
export async function storedCalendar({
  records,
  orgId,
}: Pick<DerivationResources, 'records' | 'orgId'>): Promise<OrganizationCalendar> {
  return calendarFromText(await records.readFile('calendar', orgId));
}
