import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';

/** A sync configuration with its latest run, if any. */
export interface ConfigurationProgress {
  readonly id: string;
  readonly is_active: boolean;
  readonly repositories: number;
  /** null: never run. */
  readonly run_status: Schemas['SyncRunStatus'] | null;
  readonly run_error: string | null;
}

/** The facts that determine the set-up status, from one snapshot. */
export interface SetupFacts {
  readonly providers: Schemas['CodeHost'][];
  /** Demo data are not a sync of the organization and do not count below. */
  readonly has_demo_data: boolean;
  readonly first_sync_completed: boolean;
  /**
   * The configuration of the latest requested run of the organization; before the first run, the oldest one. null:
   * none.
   */
  readonly latest: ConfigurationProgress | null;
  /** The configuration of the pending or running run; of several, the one requested last. null: none. */
  readonly active: ConfigurationProgress | null;
}

export async function readSetupFacts(sql: Sql, orgId: string): Promise<SetupFacts> {
  const [facts] = await sql<SetupFacts[]>`
    with configurations as (
      select c.created_at, c.id, r.created_at as run_created_at, r.status as run_status,
        jsonb_build_object('id', c.id, 'is_active', c.is_active, 'repositories', cardinality(c.repositories),
          'run_status', r.status, 'run_error', r.error) as progress
      from sync_configs c
      left join lateral (
        select status, error, created_at from sync_runs
        where org_id = c.org_id and sync_config_id = c.id order by created_at desc, id desc limit 1
      ) r on true
      where c.org_id = ${orgId} and not c.is_demo
    )
    select
      array(select distinct provider from integrations where org_id = ${orgId} and is_active order by provider)
        as providers,
      o.first_sync_completed_at is not null
        or exists (
          select 1 from sync_runs r join sync_configs c on c.org_id = r.org_id and c.id = r.sync_config_id
          where r.org_id = ${orgId} and r.status = 'complete' and not c.is_demo
        ) as first_sync_completed,
      exists (select 1 from sync_configs where org_id = ${orgId} and is_demo)
        or exists (select 1 from store_tasks where org_id = ${orgId} and kind = 'remove_demo_data')
        as has_demo_data,
      (select progress from configurations order by run_created_at desc nulls last, created_at, id limit 1) as latest,
      (select progress from configurations where run_status in ('pending', 'running')
        order by run_created_at desc limit 1) as active
    from organizations o where o.id = ${orgId}`;
  if (facts === undefined) throw new Error('The organization of the caller no longer exists');
  return facts;
}
