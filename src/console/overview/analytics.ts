import type { OverviewQuery, OverviewQueryVariables } from '@plumbline/sdk/analytics';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { ask } from '../analytics/client.js';

export type Overview = OverviewQuery['analytics'];
export type { OverviewQueryVariables };

/** The figures of the overview page. */
export function useOverview(variables: OverviewQueryVariables): UseQueryResult<Overview> {
  return useQuery({
    queryKey: ['overview', variables],
    queryFn: async ({ signal }) => (await ask('overview', variables, signal)).analytics,
  });
}
