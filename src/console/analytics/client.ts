import {
  createAnalyticsClient,
  unwrapAnalytics,
  type AnalyticsSchema,
  type OrganizationVariables,
  type PersistedQueries,
  type PersistedQueryId,
} from '@plumbline/sdk/analytics';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
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

/** The values of one dimension. */
export function useValues(orgId: string, dimension: Dimension): UseQueryResult<readonly FilterValue[]> {
  return useQuery({
    queryKey: ['values', orgId, dimension],
    staleTime: 300_000,
    queryFn: async ({ signal }) => (await ask('catalog-values', { orgId, dimension }, signal)).catalog.values ?? [],
  });
}
