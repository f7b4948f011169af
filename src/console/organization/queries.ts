import { unwrap } from '@plumbline/sdk';
import { getOrganization, getSso, type Schemas } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { queries, type Me } from '../session/queries.js';
import { platform } from '../session/session.js';

/** The organization, with its mark for deletion. */
export function useOrganization(orgId: string): UseQueryResult<Schemas['Organization']> {
  return useQuery({
    queryKey: ['organization', orgId],
    // After a switch in another tab, this one shows the former organization until it has read who is logged in.
    enabled: () => queries.getQueryData<Me>(['me'])?.org_id === orgId,
    queryFn: async ({ signal }) => unwrap(await getOrganization(platform, { params: { org_id: orgId }, signal })),
  });
}

/** The single sign-on of an organization. Owners read it. */
export function useSso(orgId: string, enabled = true): UseQueryResult<Schemas['Sso']> {
  return useQuery({
    queryKey: ['sso', orgId],
    enabled,
    queryFn: async ({ signal }) => unwrap(await getSso(platform, { params: { org_id: orgId }, signal })),
  });
}
