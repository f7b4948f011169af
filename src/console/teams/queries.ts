import { paginate, unwrap } from '@plumbline/sdk';
import { createAnalyticsClient, investmentSankey, unwrapAnalytics } from '@plumbline/sdk/analytics';
import { getTeamAssignment, listTeams, type Schemas } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { useEffect, useRef } from 'preact/hooks';
import { useToday } from '../analytics/calendar.js';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';

export type Team = Schemas['Team'];

const analytics = createAnalyticsClient(platform);
const coveredDays = 90;
const dayMs = 86_400_000;
/** How often the page asks how far an assignment has come. */
const followMs = 1000;

export function useTeams(orgId: string): UseQueryResult<readonly Team[]> {
  return useQuery({
    queryKey: ['teams', orgId],
    queryFn: async ({ signal }) => {
      const all: Team[] = [];
      const pages = paginate(listTeams, platform, { params: { org_id: orgId }, query: { limit: 200 }, signal });
      for await (const each of pages) all.push(each);
      return all;
    },
  });
}

/** Which part of the recent work has a team. */
export interface CoverageFigure {
  /** From 0 to 1; null: there is no work. */
  readonly share: number | null;
}

/** The coverage of the last 90 days. */
export function useCoverage(orgId: string): UseQueryResult<CoverageFigure> {
  const today = useToday();
  return useQuery({
    queryKey: ['team-coverage', orgId, today],
    queryFn: async ({ signal }) => {
      const start = new Date(Date.parse(today) - (coveredDays - 1) * dayMs);
      const dateRange = { startDate: start.toISOString().slice(0, 10), endDate: today };
      const reply = await analytics.query(investmentSankey, { orgId, dateRange, path: ['REPO', 'TEAM'] }, { signal });
      return { share: unwrapAnalytics(reply).analytics.sankey?.coverage?.teamCoverage ?? null };
    },
  });
}

/** Follows the assignment until it is done. Then everything is asked for again: charts have changed. */
export function useAssignment(orgId: string): UseQueryResult<Schemas['TeamAssignment']> {
  const assignment = useQuery({
    queryKey: ['team-assignment', orgId],
    queryFn: async ({ signal }) => unwrap(await getTeamAssignment(platform, { params: { org_id: orgId }, signal })),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === 'done' ? false : followMs),
  });
  const state = assignment.data?.state;
  const wasBusy = useRef(false);
  useEffect(() => {
    if (state === 'done' && wasBusy.current) {
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'team-assignment' });
    }
    wasBusy.current = state !== undefined && state !== 'done';
  }, [state]);
  return assignment;
}

/** To be called after each change of the teams: shows it, and follows the assignment that it has started. */
export async function refreshTeams(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['team-assignment'] });
  // Small organizations are assigned before anybody asks.
  await Promise.all(['teams', 'team-coverage'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
}
