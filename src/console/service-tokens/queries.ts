import { unwrap } from '@plumbline/sdk';
import { listServiceTokens, type Schemas } from '@plumbline/sdk/platform';
import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/preact-query';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';

export type ServiceToken = Schemas['ServiceToken'];

const pageSize = 50;

/** The service tokens of an organization, the newest first. */
export function useServiceTokens(orgId: string): UseInfiniteQueryResult<InfiniteData<Schemas['ServiceTokenPage']>> {
  return useInfiniteQuery({
    queryKey: ['service-tokens', orgId],
    initialPageParam: '',
    queryFn: async ({ pageParam: cursor, signal }) =>
      unwrap(
        await listServiceTokens(platform, {
          signal,
          params: { org_id: orgId },
          query: { limit: pageSize, ...(cursor !== '' && { cursor }) },
        }),
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}

/** Asks for the list again, after a change. */
export async function refreshServiceTokens(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['service-tokens'] });
}
