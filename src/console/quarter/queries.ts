/** What the page asks for. What the Delivery page asks for, too, is asked with its queries. */
import type { QuarterQuery, QuarterReposQuery, QuarterRequestsQuery } from '@plumbline/sdk/analytics';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { ask } from '../analytics/client.js';
import type { Span } from './span.js';

export type QuarterWork = QuarterQuery['analytics'];
export type QuarterRequests = QuarterRequestsQuery;
export type QuarterRepos = QuarterReposQuery['analytics']['breakdowns'];

type Asked = Pick<Span, 'range' | 'previous'>;

/** Where the work went in both periods. */
export function useWork(orgId: string, { range, previous }: Asked): UseQueryResult<QuarterWork> {
  const variables = { orgId, dateRange: range, previous };
  return useQuery({
    queryKey: ['quarter', variables],
    enabled: orgId !== '',
    queryFn: async ({ signal }) => (await ask('quarter', variables, signal)).analytics,
  });
}

/** The work units of one theme by repository. @param theme null: there is nothing to ask for */
export function useReposOfTheme(
  orgId: string,
  { range, previous }: Asked,
  theme: string | null,
): UseQueryResult<QuarterRepos> {
  const variables = { orgId, dateRange: range, previous, filters: { themes: theme === null ? [] : [theme] } };
  return useQuery({
    queryKey: ['quarter-repos', variables],
    enabled: orgId !== '' && theme !== null,
    queryFn: async ({ signal }) => (await ask('quarter-repos', variables, signal)).analytics.breakdowns,
  });
}

/** How long requests took, and the requests that mattered. */
export function useRequests(orgId: string, { range, previous }: Asked): UseQueryResult<QuarterRequests> {
  const variables = { orgId, dateRange: range, previous };
  return useQuery({
    queryKey: ['quarter-requests', variables],
    enabled: orgId !== '',
    queryFn: ({ signal }) => ask('quarter-requests', variables, signal),
  });
}
