import type { GetFreshnessHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import type { Sql } from '../../../database/connection.js';
import { readsAll } from './requested-syncs.store.js';

interface FreshnessRow {
  readonly current_at: Date | null;
  readonly active_syncs: number;
  readonly failing_syncs: number;
}

export const getFreshness: GetFreshnessHandler<PlatformDependencies> = async ({ principal }, { sql }) => {
  const { current_at, ...counts } = await readFreshness(sql, principal.org_id);
  return { status: 200, body: { current_at: current_at?.toISOString() ?? null, ...counts } };
};

/**
 * A configuration that has not read anything yet does not make the figures of the others older. Runs of the repositories
 * that a code host has reported as changed say nothing about the others.
 */
async function readFreshness(sql: Sql, orgId: string): Promise<FreshnessRow> {
  const [row] = await sql<[FreshnessRow]>`
    select min(read.started_at) as current_at, count(*)::int as active_syncs,
      count(*) filter (where ended.status in ('failed', 'partial'))::int as failing_syncs
    from sync_configs c
    left join lateral (
      select r.started_at from sync_runs r
      where r.org_id = c.org_id and r.sync_config_id = c.id and r.status in ('complete', 'partial') and ${readsAll(sql)}
      order by r.created_at desc, r.id desc limit 1
    ) read on true
    left join lateral (
      select status from sync_runs
      where org_id = c.org_id and sync_config_id = c.id and status in ('complete', 'partial', 'failed')
      order by created_at desc, id desc limit 1
    ) ended on true
    where c.org_id = ${orgId} and c.is_active`;
  return row;
}
