/** How far the set-up of the organization and its demo data have come, for the pages that show it. */
import { unwrap } from '@plumbline/sdk';
import { getDemoData, getSetupStatus, type Schemas } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { queries, useMay } from './queries.js';
import { platform } from './session.js';

type SetupStatus = Schemas['SetupStatusResponse'];
type DemoData = Schemas['DemoData'];

const followMs = 2000;

/** The set-up status. It is followed while a sync runs. */
export function useSetupStatus(enabled = true): UseQueryResult<SetupStatus> {
  return useQuery({
    queryKey: ['setup-status'],
    enabled,
    queryFn: async ({ signal }) => unwrap(await getSetupStatus(platform, { signal })),
    refetchInterval: ({ state }) => (isRunning(state.data) ? followMs : false),
  });
}

/** The state of the demo data. It is followed while they are made or removed. */
export function useDemoData(enabled = true): UseQueryResult<DemoData> {
  return useQuery({
    queryKey: ['demo-data'],
    enabled,
    queryFn: async ({ signal }) => unwrap(await getDemoData(platform, { signal })),
    refetchInterval: ({ state: { data } }) =>
      data?.state === 'filling' || data?.state === 'removing' ? followMs : false,
  });
}

/**
 * Whether the first data of the organization, or demo data, are being read. When they have come, everything is asked for again.
 *
 * @param isWaiting whether the page has no data
 */
export function useArrival(isWaiting: boolean): boolean {
  const maySee = useMay('setup:read');
  const setup = useSetupStatus(isWaiting && maySee);
  const demo = useDemoData(isWaiting && maySee);
  // After the first sync, a period without work is one that has none.
  const isFirstSync = isRunning(setup.data) && setup.data?.first_sync_completed === false;
  const isComing = isWaiting && (isFirstSync || demo.data?.state === 'filling');
  useEffect(() => {
    if (!isComing) return;
    return () => {
      void queries.invalidateQueries();
    };
  }, [isComing]);
  return isComing;
}

function isRunning(status: SetupStatus | undefined): boolean {
  return status?.sync_status === 'pending' || status?.sync_status === 'running';
}
