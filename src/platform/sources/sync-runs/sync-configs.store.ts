import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { Position } from '../../server/paging.js';
import { joinFailures, nextStart } from './schedules/schedules.store.js';

type SyncProvider = Schemas['SyncProvider'];
type SyncTarget = Schemas['SyncTarget'];

/** A sync configuration with its latest run. */
export interface SyncConfigRow {
  readonly id: string;
  readonly org_id: string;
  readonly integration_id: string | null;
  readonly name: string;
  readonly provider: SyncProvider;
  readonly targets: SyncTarget[];
  readonly repositories: string[];
  readonly is_active: boolean;
  /** Whether runs remove commits that a rewritten history no longer has. */
  readonly prune: boolean;
  /** Whether it fills the organization with demo data. */
  readonly is_demo: boolean;
  /** null: it runs only on request. */
  readonly schedule: string | null;
  /** null: it has no schedule, or is inactive. */
  readonly next_run_at: Date | null;
  /** How many of its latest runs failed in a row. */
  readonly failed_runs: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** null, like the following columns, if it has never run. */
  readonly run_id: string | null;
  readonly run_status: Schemas['SyncRunStatus'] | null;
  readonly run_error: string | null;
  readonly run_created_at: Date | null;
  readonly run_started_at: Date | null;
  readonly run_finished_at: Date | null;
}

/** The configurations of an organization, oldest first. */
export async function selectSyncConfigs(
  sql: Sql,
  orgId: string,
  position: Position | null,
  limit: number,
): Promise<SyncConfigRow[]> {
  return sql<SyncConfigRow[]>`
    ${withLatestRun(sql)}
    where c.org_id = ${orgId}
      ${position === null ? sql`` : sql`and (c.created_at, c.id) > (${position.at}, ${position.id})`}
    order by c.created_at, c.id limit ${limit}`;
}

export async function findSyncConfig(sql: Sql, orgId: string, id: string): Promise<SyncConfigRow | null> {
  const [row] = await sql<SyncConfigRow[]>`${withLatestRun(sql)} where c.org_id = ${orgId} and c.id = ${id}`;
  return row ?? null;
}

function withLatestRun(sql: Sql): ReturnType<Sql> {
  return sql`
    select c.id, c.org_id, c.integration_id, c.name, c.provider, c.targets, c.repositories, c.is_active, c.prune, c.is_demo,
      c.schedule, case when c.is_active then ${nextStart(sql)} end as next_run_at, failures.failed_runs, c.created_at, c.updated_at, r.id as run_id,
      r.status as run_status, r.error as run_error, r.created_at as run_created_at, r.started_at as run_started_at, r.finished_at as run_finished_at
    from sync_configs c ${joinFailures(sql)}
    left join lateral (
      select id, status, error, created_at, started_at, finished_at
      from sync_runs where org_id = c.org_id and sync_config_id = c.id order by created_at desc, id desc limit 1
    ) r on true`;
}

/** The columns of a configuration that can change concurrently and determine whether it may run. */
export interface LockedSyncConfig {
  readonly provider: SyncProvider;
  readonly is_active: boolean;
  /** Whether it fills the organization with demo data. */
  readonly is_demo: boolean;
  readonly schedule: string | null;
}

/**
 * Locks a configuration until the transaction ends: `share` prevents changes while a run is added, `update` also
 * excludes other lockers. @returns null when the organization has none with this id
 */
export async function lockSyncConfig(
  sql: Sql,
  orgId: string,
  id: string,
  strength: 'share' | 'update',
): Promise<LockedSyncConfig | null> {
  const [row] = await sql<LockedSyncConfig[]>`
    select provider, is_active, is_demo, schedule from sync_configs where org_id = ${orgId} and id = ${id}
    for ${strength === 'share' ? sql`share` : sql`update`}`;
  return row ?? null;
}

/** Whether an integration of this provider exists. Keeps it until the transaction ends. */
export async function holdIntegration(sql: Sql, orgId: string, id: string, provider: SyncProvider): Promise<boolean> {
  const rows = await sql`
    select 1 from integrations where org_id = ${orgId} and id = ${id} and provider = ${provider} for key share`;
  return rows.length > 0;
}

/** @returns the id, or null when the organization already has a configuration with this name */
export async function insertSyncConfig(
  sql: Sql,
  config: {
    readonly orgId: string;
    readonly integrationId: string | null;
    readonly name: string;
    readonly provider: SyncProvider;
    readonly targets: readonly SyncTarget[];
    readonly repositories: readonly string[];
    readonly isActive: boolean;
    readonly prune?: boolean;
    readonly isDemo?: boolean;
    /** null: a service token. */
    readonly createdBy: string | null;
  },
  now: Date,
): Promise<string | null> {
  const { orgId, integrationId, name, provider, isActive, createdBy } = config;
  const [row] = await sql<{ id: string }[]>`
    insert into sync_configs
      (org_id, integration_id, name, provider, targets, repositories, is_active, prune, is_demo, created_by, created_at,
        updated_at)
    values (${orgId}, ${integrationId}, ${name}, ${provider}, ${sql.typed.texts(config.targets)},
      ${sql.typed.texts(config.repositories)}, ${isActive}, ${config.prune === true}, ${config.isDemo === true},
      ${createdBy}, ${now}, ${now})
    on conflict do nothing
    returning id`;
  return row?.id ?? null;
}

/** Changes the given fields. @throws PostgresError of `sync_configs_name_key` when the name is taken */
export async function changeSyncConfig(
  sql: Sql,
  orgId: string,
  id: string,
  change: Schemas['UpdateSyncConfigRequest'],
  now: Date,
): Promise<void> {
  const { name, targets, repositories, is_active: isActive, prune } = change;
  await sql`
    update sync_configs set updated_at = ${now}
      ${name === undefined ? sql`` : sql`, name = ${name.trim()}`}
      ${targets === undefined ? sql`` : sql`, targets = ${sql.typed.texts(targets)}`}
      ${repositories === undefined ? sql`` : sql`, repositories = ${sql.typed.texts(repositories)}`}
      ${isActive === undefined ? sql`` : sql`, is_active = ${isActive}`}
      ${prune === undefined ? sql`` : sql`, prune = ${prune}`}
    where org_id = ${orgId} and id = ${id}`;
}

/** Deletes a configuration with its runs. The organization remains marked as once synced. */
export async function removeSyncConfig(sql: Sql, orgId: string, id: string): Promise<void> {
  await sql`
    update organizations set first_sync_completed_at = (
      select min(finished_at) from sync_runs where org_id = ${orgId} and sync_config_id = ${id} and status = 'complete'
    )
    where id = ${orgId} and first_sync_completed_at is null`;
  await sql`delete from sync_configs where org_id = ${orgId} and id = ${id}`;
}

/** The contract's `SyncConfig`. */
export function syncConfigOf(row: SyncConfigRow): Schemas['SyncConfig'] {
  const { id, org_id, integration_id, name, provider, targets, repositories, is_active, prune, is_demo } = row;
  return {
    ...{ id, org_id, integration_id, name, provider, targets, repositories, is_active, prune, is_demo },
    schedule: row.schedule,
    next_run_at: row.next_run_at?.toISOString() ?? null,
    failed_runs: row.failed_runs,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    latest_run: latestRunOf(row),
  };
}

function latestRunOf(row: SyncConfigRow): Schemas['SyncConfig']['latest_run'] {
  if (row.run_id === null || row.run_status === null || row.run_created_at === null) return null;
  return {
    id: row.run_id,
    status: row.run_status,
    error: row.run_error,
    created_at: row.run_created_at.toISOString(),
    started_at: row.run_started_at?.toISOString() ?? null,
    finished_at: row.run_finished_at?.toISOString() ?? null,
  };
}
