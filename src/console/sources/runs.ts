import { unwrap } from '@plumbline/sdk';
import {
  cancelSyncRun,
  getSyncRun,
  hasSyncRunEnded,
  startSyncRun,
  type Schemas,
  type SyncRunParams,
} from '@plumbline/sdk/platform';
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { announce } from '../ui/toasts.js';

export type SyncRun = Schemas['SyncRun'];

/** How often a page asks how far a run has come. */
const followMs = 1000;

/** Follows a run until it has ended. Then everything is asked for again: charts have changed. */
export function useRun(params: SyncRunParams): UseQueryResult<SyncRun> {
  const run = useQuery({
    queryKey: ['sync-run', params.run_id],
    queryFn: async ({ signal }) => unwrap(await getSyncRun(platform, { params, signal })),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data !== undefined && hasSyncRunEnded(state.data) ? false : followMs),
  });
  const hasEnded = run.data !== undefined && hasSyncRunEnded(run.data);
  useEffect(() => {
    if (hasEnded) void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'sync-run' });
  }, [hasEnded]);
  return run;
}

/** Starts a run of a configuration. */
export function useStart(): UseMutationResult<SyncRun, Error, string> {
  return useMutation({
    mutationFn: async (id: string) => unwrap(await startSyncRun(platform, { params: { sync_config_id: id } })),
    onSettled: refresh,
  });
}

/** Cancels a run. One that has ended meanwhile is left as it is. */
export function useCancel(): UseMutationResult<void, Error, SyncRunParams> {
  return useMutation({
    mutationFn: async (params: SyncRunParams) => {
      const reply = await cancelSyncRun(platform, { params });
      if (reply.status === 409) announce('The run has already ended.');
      else unwrap(reply);
    },
    onSettled: refresh,
  });
}

/** Asks again for configurations and runs. */
function refresh(): Promise<unknown> {
  const kinds = new Set(['sync-configs', 'sync-config', 'sync-runs', 'sync-run', 'setup-status']);
  return queries.invalidateQueries({ predicate: ({ queryKey }) => kinds.has(String(queryKey[0])) });
}
