/** The calendar of the organization, and how much of the analytics can be asked for at once. */
import type { CatalogLimitsQuery } from '@plumbline/sdk/analytics';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { useMe } from '../session/queries.js';
import { ask } from './client.js';
import type { Calendar } from './period.js';

export function useLimits(): UseQueryResult<CatalogLimitsQuery['catalog']> {
  const orgId = useMe().data?.org_id ?? '';
  return useQuery({
    queryKey: ['limits', orgId],
    enabled: orgId !== '',
    staleTime: 300_000,
    queryFn: async ({ signal }) => (await ask('catalog-limits', { orgId }, signal)).catalog,
  });
}

/** Undefined: it is not known yet. */
export function useCalendar(): Calendar | undefined {
  return useLimits().data?.calendar;
}

/** Today in the time zone of the organization, as YYYY-MM-DD; in UTC until the zone is known. */
export function useToday(): string {
  return dayIn(useCalendar()?.timeZone ?? 'UTC', new Date());
}

/** The day of a moment. */
export function dayIn(timeZone: string, moment: Date): string {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
      moment,
    );
  } catch {
    // A browser may be older than the time zone.
    return moment.toISOString().slice(0, 10);
  }
}

export const weekDays: Readonly<Record<Calendar['weekStartsOn'], string>> = {
  MONDAY: 'Monday',
  SUNDAY: 'Sunday',
  SATURDAY: 'Saturday',
};
