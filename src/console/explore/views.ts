/** Saved views: what the Explore page shows, under a name. */
import { paginate } from '@plumbline/sdk';
import { listViews, type Schemas } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { partsOfPeriod, type Period } from '../analytics/period.js';
import { partsOfPicks } from '../analytics/picks.js';
import { withParts } from '../analytics/search-parts.js';
import { picksOfWorkFilters, workFiltersOf } from '../analytics/work-filters.js';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import type { Choices } from './choices.js';

export type View = Schemas['View'];
type Definition = Schemas['ViewDefinition'];

/** The views of the organization, by name. */
export function useViews(orgId: string): UseQueryResult<readonly View[]> {
  return useQuery({
    queryKey: ['views', orgId],
    queryFn: async ({ signal }) => {
      const all: View[] = [];
      const pages = paginate(listViews, platform, { params: { org_id: orgId }, query: { limit: 200 }, signal });
      for await (const each of pages) all.push(each);
      return all.sort((a, b) => a.name.localeCompare(b.name));
    },
  });
}

/** Asks for the views again. */
export function refreshViews(): void {
  void queries.invalidateQueries({ queryKey: ['views'] });
}

/** What is shown, as a view stores it. */
export function definitionOf({ dimension, measure, interval, top, isWhole, period, picks }: Choices): Definition {
  const { startDate: start_date, endDate: end_date } = period.range;
  return {
    dimension: lower(dimension),
    measure: lower(measure),
    interval: lower(interval),
    top,
    whole_units: isWhole,
    period: period.name === 'custom' ? { start_date, end_date } : { preset: period.name },
    filters: workFiltersOf(picks),
  };
}

function lower<Name extends string>(name: Name): Lowercase<Name> {
  return name.toLowerCase() as Lowercase<Name>; // as its type says
}

/** Whether what is shown differs from what a view stores. */
export function isChanged(view: View, choices: Choices): boolean {
  return hrefOfView(view) !== hrefOfView({ id: view.id, definition: definitionOf(choices) });
}

/** Where a view is shown. The id lets the page offer to save changes to it. */
export function hrefOfView({ id, definition }: Pick<View, 'id' | 'definition'>): string {
  const { dimension, measure, interval, top, whole_units: isWhole, period, filters } = definition;
  const parts = {
    ...{ dimension, measure, interval, top: String(top), whole: isWhole ? 'yes' : null },
    ...partsOfPeriod(periodParts(period)),
    ...partsOfPicks(picksOfWorkFilters(filters)),
    view: id,
  };
  return `/explore?${withParts(new URLSearchParams(), parts).toString()}`;
}

function periodParts(period: Definition['period']): Pick<Period, 'name' | 'range'> {
  if ('preset' in period) return { name: period.preset, range: { startDate: '', endDate: '' } };
  return { name: 'custom', range: { startDate: period.start_date, endDate: period.end_date } };
}
