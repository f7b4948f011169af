import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { Position } from '../../server/paging.js';
import { takeRequestedSyncs } from './requested-syncs.store.js';

export interface SyncRunRow {
  readonly id: string;
  readonly sync_config_id: string;
  readonly status: Schemas['SyncRunStatus'];
  readonly progress: Schemas['SyncProgress'];
  readonly error: string | null;
  readonly notes: string[];
  readonly requested_by: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

/** Identifies a run of a configuration of an organization; all three must match. */
export interface SyncRunKey {
  readonly orgId: string;
  readonly configId: string;
  readonly runId: string;
}

/** The runs of a configuration, newest first. */
export async function selectSyncRuns(
  sql: Sql,
  { orgId, configId }: Omit<SyncRunKey, 'runId'>,
  position: Position | null,
  limit: number,
): Promise<SyncRunRow[]> {
  return sql<SyncRunRow[]>`
    select ${columns(sql)} from sync_runs
    where org_id = ${orgId} and sync_config_id = ${configId}
      ${position === null ? sql`` : sql`and (created_at, id) < (${position.at}, ${position.id})`}
    order by created_at desc, id desc limit ${limit}`;
}

export async function findSyncRun(sql: Sql, { orgId, configId, runId }: SyncRunKey): Promise<SyncRunRow | null> {
  const [run] = await sql<SyncRunRow[]>`
    select ${columns(sql)} from sync_runs
    where org_id = ${orgId} and sync_config_id = ${configId} and id = ${runId}`;
  return run ?? null;
}

/**
 * Counts the pending and running runs of an organization. Other transactions that call this wait until this one ends,
 * so that concurrent requests cannot exceed a maximum together.
 */
export async function lockNumberOfActiveRuns(sql: Sql, orgId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`plumbline sync runs ${orgId}`}, 0))`;
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from sync_runs where org_id = ${orgId} and status in ('pending', 'running')`;
  return row?.count ?? 0;
}

/**
 * Queues a run with the current configuration. The caller holds the lock of the configuration. A run of all its
 * repositories includes those that have been requested.
 *
 * @returns null when one is pending or running; of concurrent calls, one gets the row
 */
export async function insertSyncRun(
  sql: Sql,
  run: {
    readonly orgId: string;
    readonly configId: string;
    /** null: a service token, or the code host. */
    readonly requestedBy: string | null;
    /** Default: those of the configuration. */
    readonly repositories?: readonly string[];
  },
  now: Date,
): Promise<SyncRunRow | null> {
  const { orgId, configId, requestedBy, repositories } = run;
  const [row] = await sql<SyncRunRow[]>`
    insert into sync_runs (org_id, sync_config_id, requested_by, created_at, available_at, targets, repositories)
    select ${orgId}, id, ${requestedBy}, ${now}, ${now}, targets,
      ${repositories === undefined ? sql`repositories` : sql.typed.texts(repositories)}
    from sync_configs where org_id = ${orgId} and id = ${configId}
    on conflict (sync_config_id) where status in ('pending', 'running') do nothing
    returning ${columns(sql)}`;
  if (row === undefined) return null;
  if (repositories === undefined) await takeRequestedSyncs(sql, { orgId, configId });
  return row;
}

/** A run that was ended, with its source. */
export interface EndedRow {
  readonly run: SyncRunRow;
  readonly provider: Schemas['SyncProvider'];
}

/**
 * Ends a pending or running run. Its worker, if any, notices at its next heartbeat, which requires the status
 * `running`.
 *
 * @returns null when it does not exist, or has already ended
 */
export async function endSyncRun(
  sql: Sql,
  { orgId, configId, runId }: SyncRunKey,
  now: Date,
): Promise<EndedRow | null> {
  const [row] = await sql<(SyncRunRow & Pick<EndedRow, 'provider'>)[]>`
    update sync_runs set status = 'cancelled', finished_at = ${now}
    where org_id = ${orgId} and sync_config_id = ${configId} and id = ${runId} and status in ('pending', 'running')
    returning ${columns(sql)},
      (select provider from sync_configs c where c.org_id = sync_runs.org_id and c.id = sync_config_id)`;
  if (row === undefined) return null;
  const { provider, ...run } = row;
  return { run, provider };
}

/** The pending and running runs of an organization. */
export async function selectActiveRuns(
  sql: Sql,
  orgId: string,
): Promise<readonly Pick<SyncRunRow, 'id' | 'sync_config_id'>[]> {
  return sql<Pick<SyncRunRow, 'id' | 'sync_config_id'>[]>`
    select id, sync_config_id from sync_runs where org_id = ${orgId} and status in ('pending', 'running') order by id`;
}

/** Whether a run of the configuration is pending or running. */
export async function hasActiveRun(sql: Sql, orgId: string, configId: string): Promise<boolean> {
  const rows = await sql`
    select 1 from sync_runs
    where org_id = ${orgId} and sync_config_id = ${configId} and status in ('pending', 'running')`;
  return rows.length > 0;
}

/** The contract's `SyncRun`. */
export function syncRunOf(row: SyncRunRow): Schemas['SyncRun'] {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

/** Workers write only part of the progress; the other fields have their initial values. */
function columns(sql: Sql): ReturnType<Sql> {
  return sql`id, sync_config_id, status, error, notes, requested_by, created_at, started_at, finished_at,
    '{"repositories_total": null, "repositories_done": 0, "repositories_failed": 0, "records": 0}' || progress
      as progress`;
}
