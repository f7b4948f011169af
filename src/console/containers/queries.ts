import { paginate } from '@plumbline/sdk';
import { listProjects, listProjectServices, type Schemas } from '@plumbline/sdk/compose';
import { QueryClient, useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { askAll, compose, withKey } from './session.js';

export type Project = Schemas['Project'];
export type Service = Schemas['ProjectService'];
export type Container = Schemas['Container'];

/** Events bring the page up to date; this is for what no event tells of, such as a compose file that was sent. */
const refreshMs = 10_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: { networkMode: 'always', retry: false, refetchInterval: refreshMs },
    mutations: { networkMode: 'always' },
  },
});

export function useProjects(): UseQueryResult<readonly Project[]> {
  return useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => askAll(paginate(listProjects, compose, { ...withKey(), signal })),
  });
}

export function useServices(name: string): UseQueryResult<readonly Service[]> {
  return useQuery({
    queryKey: ['services', name],
    queryFn: ({ signal }) => askAll(paginate(listProjectServices, compose, { ...withKey(), params: { name }, signal })),
  });
}

/** Asks again for everything that is shown. */
export function refresh(): Promise<void> {
  return queries.invalidateQueries();
}
