import { paginate } from '@plumbline/sdk';
import { listMembers, type Schemas } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { platform } from '../session/session.js';

export type Member = Schemas['ListedMember'];

/** All members of an organization. */
export function useMembers(orgId: string, enabled = true): UseQueryResult<readonly Member[]> {
  return useQuery({
    queryKey: ['members', orgId],
    enabled,
    queryFn: async ({ signal }) => {
      const all: Member[] = [];
      const pages = paginate(listMembers, platform, { params: { org_id: orgId }, query: { limit: 200 }, signal });
      for await (const each of pages) all.push(each);
      return all;
    },
  });
}
