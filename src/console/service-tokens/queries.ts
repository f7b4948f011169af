import { unwrap } from '@plumbline/sdk';
import { listServiceTokens, type Schemas } from '@plumbline/sdk/platform';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/preact-query';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { usePaged } from '../ui/paged.js';

export type ServiceToken = Schemas['ServiceToken'];

const pageSize = 50;

/** The service tokens of an organization, the newest first. */
export function useServiceTokens(orgId: string): UseInfiniteQueryResult<InfiniteData<Schemas['ServiceTokenPage']>> {
  return usePaged({
    queryKey: ['service-tokens', orgId],
    pageSize,
    load: async (query, signal) =>
      unwrap(await listServiceTokens(platform, { signal, params: { org_id: orgId }, query })),
  });
}

/** Asks for the list again, after a change. */
export async function refreshServiceTokens(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['service-tokens'] });
}
