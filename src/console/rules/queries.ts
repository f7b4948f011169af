import { paginate, unwrap } from '@plumbline/sdk';
import { getRules, listEnvironments, type Schemas } from '@plumbline/sdk/platform';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { refreshTeams } from '../teams/queries.js';

export type Environment = Schemas['Environment'];

/** The rules file of the organization. */
export function useRules(orgId: string): UseQueryResult<Schemas['RulesFile']> {
  return useQuery({
    queryKey: ['rules', orgId],
    queryFn: async ({ signal }) => unwrap(await getRules(platform, { params: { org_id: orgId }, signal })),
  });
}

/** All environments. @param production the patterns that decide what is production; none: the rules decide */
export function useEnvironments(orgId: string, production: readonly string[]): UseQueryResult<readonly Environment[]> {
  return useQuery({
    queryKey: ['environments', orgId, production],
    queryFn: async ({ signal }) => {
      const all: Environment[] = [];
      const query = { limit: 200, ...(production.length === 0 ? {} : { production: [...production] }) };
      const pages = paginate(listEnvironments, platform, { params: { org_id: orgId }, query, signal });
      for await (const each of pages) all.push(each);
      return all;
    },
    placeholderData: keepPreviousData,
  });
}

/** To be called after the rules have changed: asks for what they decide again, and follows the classification. */
export async function refreshRules(): Promise<void> {
  await Promise.all(['rules', 'environments'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
  await refreshTeams();
}
