import type { ExploreQuery, ExploreQueryVariables } from '@plumbline/sdk/analytics';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { ask } from '../analytics/client.js';
import type { Catalog } from './choices.js';

export type Explored = ExploreQuery['analytics'];

/** What the server offers, and its limits. */
export function useCatalog(orgId: string): UseQueryResult<Catalog> {
  return useQuery({
    queryKey: ['catalog', orgId],
    staleTime: 300_000,
    queryFn: async ({ signal }) => {
      const [offered, limits] = await Promise.all([
        ask('catalog-dimensions', { orgId }, signal),
        ask('catalog-limits', { orgId }, signal),
      ]);
      return { ...offered.catalog, ...limits.catalog };
    },
  });
}

/** One measure by one dimension. */
export function useExplored(variables: ExploreQueryVariables): UseQueryResult<Explored> {
  return useQuery({
    queryKey: ['explore', variables],
    queryFn: async ({ signal }) => (await ask('explore', variables, signal)).analytics,
  });
}
