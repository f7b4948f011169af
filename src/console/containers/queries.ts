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

/**
 * The services of a project; null: there is no such project. A project of which the server has no compose file ends with
 * its last container, so the list is asked first: a missing project would be an error in the browser's log.
 */
export function useServices(name: string): UseQueryResult<readonly Service[] | null> {
  return useQuery({
    queryKey: ['services', name],
    queryFn: async ({ signal }) => {
      const projects = await askAll(paginate(listProjects, compose, { ...withKey(), signal }));
      if (!projects.some((project) => project.name === name)) return null;
      return askAll(paginate(listProjectServices, compose, { ...withKey(), params: { name }, signal }));
    },
  });
}

/** Asks again for everything that is shown. */
export function refresh(): Promise<void> {
  return queries.invalidateQueries();
}
