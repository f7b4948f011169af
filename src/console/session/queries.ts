import { unwrap } from '@plumbline/sdk';
import { getMe, type Schemas } from '@plumbline/sdk/platform';
import { QueryClient, useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { platform, session, type SessionState } from './session.js';

/** What has been asked of the server, for all pages. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always', // the server may well be on this machine
      retry: false, // the SDK has tried again already
      staleTime: 15_000,
    },
    mutations: { networkMode: 'always' },
  },
});

// Another user or organization must not see what was asked for this one. A page without a session keeps what it has
// asked before the console knew that there is none: the refusal of a link, for example.
// The pages of a session that has ended stay for their owner, and with them what they have asked.
let visitBefore = visitOf(session.get());
session.subscribe((state) => {
  const visit = visitOf(state);
  if (visitBefore !== null && visit !== visitBefore) queries.clear();
  visitBefore = visit;
});

function visitOf(state: SessionState): number | null {
  return 'visit' in state ? state.visit : null;
}

export type Me = Schemas['MeResponse'];

/** The logged-in user. */
export function useMe(): UseQueryResult<Me> {
  return useQuery({
    queryKey: ['me'],
    queryFn: async ({ signal }) => unwrap(await getMe(platform, { signal })),
  });
}

/** Whether the role of the logged-in user includes a permission. */
export function useMay(permission: string): boolean {
  return useMe().data?.permissions.includes(permission) === true;
}
