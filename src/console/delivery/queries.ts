import type {
  CodeHealthQuery,
  CodeHealthQueryVariables,
  DoraQuery,
  DoraQueryVariables,
  OrganizationVariables,
  PersistedQueries,
  RequestPhasesQuery,
  RequestPhasesQueryVariables,
  ReviewsQuery,
  ReviewsQueryVariables,
  WorkInProgressQuery,
  WorkInProgressQueryVariables,
} from '@plumbline/sdk/analytics';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { ask } from '../analytics/client.js';

export type Dora = NonNullable<DoraQuery['analytics']['dora']>;
export type DoraKeys = Dora['total'];
export type Phases = RequestPhasesQuery['analytics']['distributions'];
export type OpenRequests = NonNullable<WorkInProgressQuery['analytics']['workInProgress']>;
export type Reviews = NonNullable<ReviewsQuery['analytics']['reviews']>;
export type CodeHealth = CodeHealthQuery['codeHealth'];

/** DORA's four keys. */
export function useDora(variables: DoraQueryVariables): UseQueryResult<Dora | null> {
  return useAnswer('dora', variables, ({ analytics }) => analytics.dora);
}

/** The phases of merged requests. */
export function usePhases(variables: RequestPhasesQueryVariables): UseQueryResult<Phases> {
  return useAnswer('request-phases', variables, ({ analytics }) => analytics.distributions);
}

/** The open requests. */
export function useOpenRequests(variables: WorkInProgressQueryVariables): UseQueryResult<OpenRequests | null> {
  return useAnswer('work-in-progress', variables, ({ analytics }) => analytics.workInProgress);
}

/** The reviews of merged requests. */
export function useReviews(variables: ReviewsQueryVariables): UseQueryResult<Reviews | null> {
  return useAnswer('reviews', variables, ({ analytics }) => analytics.reviews);
}

/** What the history of one repository says about its code. */
export function useCodeHealth(variables: CodeHealthQueryVariables): UseQueryResult<CodeHealth> {
  return useAnswer('code-health', variables, ({ codeHealth }) => codeHealth);
}

function useAnswer<Id extends 'dora' | 'request-phases' | 'work-in-progress' | 'reviews' | 'code-health', Answer>(
  id: Id,
  variables: PersistedQueries[Id]['variables'] & OrganizationVariables,
  select: (result: PersistedQueries[Id]['result']) => Answer,
): UseQueryResult<Answer> {
  return useQuery({
    queryKey: [id, variables],
    queryFn: async ({ signal }) => select(await ask(id, variables, signal)),
  });
}
