import { unwrap } from '@plumbline/sdk';
import { getOrganization, type Schemas } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { platform } from '../session/session.js';

/** The organization, with its mark for deletion. */
export function useOrganization(orgId: string): UseQueryResult<Schemas['Organization']> {
  return useQuery({
    queryKey: ['organization', orgId],
    queryFn: async ({ signal }) => unwrap(await getOrganization(platform, { params: { org_id: orgId }, signal })),
  });
}
