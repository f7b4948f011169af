import type {
  CodeHealthQueryVariables,
  DoraQueryVariables,
  OrganizationVariables,
  PersistedQueries,
  RequestPhasesQueryVariables,
  ReviewsQueryVariables,
  WorkInProgressQueryVariables,
} from '@plumbline/sdk/analytics';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { ask } from '../analytics/client.js';
import type { KnownDays } from '../analytics/period.js';
import type { CodeHealth, Dora, OpenRequests, Phases, Reviews } from './figures.js';

/** Figures, and since when what they are about is known. */
export interface Answer<Figures> {
  readonly answer: Figures;
  readonly days: KnownDays;
}

/** DORA's four keys. */
export function useDora(variables: DoraQueryVariables): UseQueryResult<Answer<Dora | null>> {
  return useAnswer('dora', variables, ({ analytics }) => ({ answer: analytics.dora, days: analytics }));
}

/** The phases of merged requests. */
export function usePhases(variables: RequestPhasesQueryVariables): UseQueryResult<Answer<Phases>> {
  return useAnswer('request-phases', variables, ({ analytics }) => ({
    answer: analytics.distributions,
    days: analytics,
  }));
}

/** The open requests. */
export function useOpenRequests(variables: WorkInProgressQueryVariables): UseQueryResult<Answer<OpenRequests | null>> {
  return useAnswer('work-in-progress', variables, ({ analytics }) => ({
    answer: analytics.workInProgress,
    days: analytics,
  }));
}

/** The reviews of merged requests. */
export function useReviews(variables: ReviewsQueryVariables): UseQueryResult<Answer<Reviews | null>> {
  return useAnswer('reviews', variables, ({ analytics }) => ({ answer: analytics.reviews, days: analytics }));
}

/** What the history of one repository says about its code. */
export function useCodeHealth(variables: CodeHealthQueryVariables): UseQueryResult<CodeHealth> {
  return useAnswer('code-health', variables, ({ codeHealth }) => codeHealth);
}

function useAnswer<Id extends 'dora' | 'request-phases' | 'work-in-progress' | 'reviews' | 'code-health', Selected>(
  id: Id,
  variables: PersistedQueries[Id]['variables'] & OrganizationVariables,
  select: (result: PersistedQueries[Id]['result']) => Selected,
): UseQueryResult<Selected> {
  return useQuery({
    queryKey: [id, variables],
    queryFn: async ({ signal }) => select(await ask(id, variables, signal)),
  });
}
