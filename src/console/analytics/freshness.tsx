import { paginate, unwrap } from '@plumbline/sdk';
import { getFreshness, listSyncConfigs, type Schemas } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { useMay } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Moment } from '../ui/moment.js';

/** Up to when the figures have everything. */
export function useFreshness(orgId: string): UseQueryResult<Schemas['Freshness']> {
  return useQuery({
    queryKey: ['freshness', orgId],
    queryFn: async ({ signal }) => unwrap(await getFreshness(platform, { params: { org_id: orgId }, signal })),
    enabled: orgId !== '',
  });
}

/** Up to when the figures have everything, and which syncs do not read everything; nothing without syncs. */
export function Freshness({ orgId }: { orgId: string }): JSX.Element | null {
  const maySeeSyncs = useMay('sync:read');
  const { data } = useFreshness(orgId);
  if (data === undefined) return null;
  return (
    <>
      {data.current_at !== null && (
        <p class="small muted">
          Figures as of <Moment at={data.current_at} />
        </p>
      )}
      {data.failing_syncs > 0 && (
        <div class="banner warn">
          {maySeeSyncs ? (
            <FailingSyncs />
          ) : (
            <p>Not everything could be read, so newer work may be missing. Admins can see why.</p>
          )}
        </div>
      )}
    </>
  );
}

/** The syncs whose latest run did not read everything, with the reasons. */
function FailingSyncs(): JSX.Element {
  const configs = useQuery({
    queryKey: ['sync-configs', 'failing'],
    queryFn: async ({ signal }) => {
      const failing: Schemas['SyncConfig'][] = [];
      for await (const config of paginate(listSyncConfigs, platform, { query: { limit: 200 }, signal })) {
        if (config.is_active && (config.latest_run?.error ?? null) !== null) failing.push(config);
      }
      return failing;
    },
  });
  return (
    <>
      <p>
        <strong>Not everything could be read, so newer work may be missing.</strong>
      </p>
      <ul class="plain">
        {configs.data?.map(({ id, name, latest_run: run }) => (
          <li key={id} class="break">
            <Link href={`/sources/${id}`}>{name}</Link>: {run?.error}
          </li>
        ))}
      </ul>
    </>
  );
}
