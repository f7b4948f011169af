import {
  createAnalyticsClient,
  unwrapAnalytics,
  type AnalyticsSchema,
  type OrganizationVariables,
  type PersistedQueries,
  type PersistedQueryId,
} from '@plumbline/sdk/analytics';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { platform } from '../session/session.js';

const analytics = createAnalyticsClient(platform);

export type Dimension = AnalyticsSchema.DimensionInput;
export type Measure = AnalyticsSchema.MeasureInput;

/** Asks a persisted query: a server that accepts no others answers the console as well. */
export async function ask<Id extends PersistedQueryId>(
  id: Id,
  variables: PersistedQueries[Id]['variables'] & OrganizationVariables,
  signal: AbortSignal,
): Promise<PersistedQueries[Id]['result']> {
  return unwrapAnalytics(await analytics.persisted(id, variables, { signal }));
}

/** A value that a filter can name, the most frequent first. */
export interface FilterValue {
  readonly value: string;
  readonly count: number;
}

/** The server lists so many values at once. */
export const mostValues = 100;

/**
 * The values of one dimension that contain a text.
 *
 * @param dimension null: there is nothing to ask for
 */
export function useValues(
  orgId: string,
  dimension: Dimension | null,
  search: string,
  enabled: boolean,
): UseQueryResult<readonly FilterValue[]> {
  return useQuery({
    queryKey: ['values', orgId, dimension, search],
    enabled: enabled && dimension !== null,
    staleTime: 300_000,
    placeholderData: keepPreviousData, // the list does not flicker while it is searched
    queryFn: async ({ signal }) =>
      dimension === null
        ? []
        : ((await ask('catalog-values', { orgId, dimension, search: search === '' ? null : search }, signal)).catalog
            .values ?? []),
  });
}
