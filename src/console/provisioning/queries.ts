import { unwrap } from '@plumbline/sdk';
import { listProvisionedGroups, type Schemas } from '@plumbline/sdk/platform';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/preact-query';
import { platform } from '../session/session.js';
import { usePaged } from '../ui/paged.js';

export type ProvisionedGroup = Schemas['ProvisionedGroup'];

/** The groups of the identity provider, the newest first. */
export function useProvisionedGroups(
  orgId: string,
): UseInfiniteQueryResult<InfiniteData<Schemas['ProvisionedGroupPage']>> {
  return usePaged({
    queryKey: ['provisioned-groups', orgId],
    pageSize: 50,
    load: async (query, signal) =>
      unwrap(await listProvisionedGroups(platform, { signal, params: { org_id: orgId }, query })),
  });
}
