import {
  authorValues,
  createAnalyticsClient,
  overview,
  repoValues,
  teamValues,
  unwrapAnalytics,
  type OverviewQuery,
  type OverviewQueryVariables,
} from '@plumbline/sdk/analytics';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { platform } from '../session/session.js';

const analytics = createAnalyticsClient(platform);

export type Overview = OverviewQuery['analytics'];
export type { OverviewQueryVariables };

/** The figures of the overview page. */
export function useOverview(variables: OverviewQueryVariables): UseQueryResult<Overview> {
  return useQuery({
    queryKey: ['overview', variables],
    queryFn: async ({ signal }) => unwrapAnalytics(await analytics.query(overview, variables, { signal })).analytics,
  });
}

/** A value that a filter can name, the most frequent first. */
export interface FilterValue {
  readonly value: string;
  readonly count: number;
}

export interface FilterValues {
  readonly TEAM: readonly FilterValue[];
  readonly REPO: readonly FilterValue[];
  readonly AUTHOR: readonly FilterValue[];
}

/** What the organization's work can be narrowed down to. */
export function useFilterValues(orgId: string): UseQueryResult<FilterValues> {
  return useQuery({
    queryKey: ['filter-values', orgId],
    staleTime: 300_000,
    queryFn: async ({ signal }) => {
      const variables = { orgId };
      const [teams, repos, authors] = await Promise.all([
        analytics.query(teamValues, variables, { signal }),
        analytics.query(repoValues, variables, { signal }),
        analytics.query(authorValues, variables, { signal }),
      ]);
      return {
        TEAM: unwrapAnalytics(teams).catalog.values ?? [],
        REPO: unwrapAnalytics(repos).catalog.values ?? [],
        AUTHOR: unwrapAnalytics(authors).catalog.values ?? [],
      };
    },
  });
}
