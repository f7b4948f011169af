import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { findTask, requestTask } from '../../sources/store-tasks/store-tasks.store.js';
import { after } from '../../clock.js';
import { insertSyncConfig } from '../../sources/sync-runs/sync-configs.store.js';
import { insertSyncRun } from '../../sources/sync-runs/sync-runs.store.js';
import { TARGETS } from '../../../sync/targets.js';
import { demoRepositories } from './demo-content.js';

type DemoData = Schemas['DemoData'];

/** The demo's sync configuration with its latest run. */
interface DemoConfigRow {
  readonly id: string;
  readonly run_id: string | null;
  readonly run_status: Schemas['SyncRunStatus'] | null;
  readonly run_error: string | null;
}

async function findDemoConfig(sql: Sql, orgId: string): Promise<DemoConfigRow | null> {
  const [row] = await sql<DemoConfigRow[]>`
    select c.id, r.id as run_id, r.status as run_status, r.error as run_error
    from sync_configs c
    left join lateral (
      select id, status, error from sync_runs
      where org_id = c.org_id and sync_config_id = c.id order by created_at desc, id desc limit 1
    ) r on true
    where c.org_id = ${orgId} and c.is_demo`;
  return row ?? null;
}

/** The contract's `DemoData`. */
export async function readDemoData(sql: Sql, orgId: string): Promise<DemoData> {
  const removal = await findTask(sql, orgId, 'remove_demo_data');
  if (removal !== null) return { state: 'removing', sync_config_id: null, sync_run_id: null, error: removal.error };
  const config = await findDemoConfig(sql, orgId);
  if (config === null) return { state: 'absent', sync_config_id: null, sync_run_id: null, error: null };
  const { id, run_id, run_status, run_error } = config;
  return { state: stateOf(run_status), sync_config_id: id, sync_run_id: run_id, error: run_error };
}

function stateOf(status: DemoConfigRow['run_status']): DemoData['state'] {
  if (status === 'pending' || status === 'running') return 'filling';
  return status === 'complete' || status === 'partial' ? 'present' : 'failed';
}

/** Locks an organization's demo data until the transaction ends. */
export async function lockDemoData(sql: Sql, orgId: string): Promise<void> {
  await sql`select 1 from organizations where id = ${orgId} for no key update`;
}

/** A run that fills an organization with demo data. */
export interface DemoFill {
  readonly configId: string;
  readonly runId: string;
  /** False: it was already in progress. */
  readonly isNew: boolean;
}

/**
 * Queues a run that fills the organization, or returns the one in progress. @returns null while the data are being
 * removed
 */
export async function fillDemoData(
  sql: Sql,
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
  now: Date,
): Promise<DemoFill | null> {
  await lockDemoData(sql, orgId);
  if ((await findTask(sql, orgId, 'remove_demo_data')) !== null) return null;
  const configId = (await findDemoConfig(sql, orgId))?.id ?? (await insertDemoConfig(sql, orgId, userId, now));
  const run = await insertSyncRun(sql, { orgId, configId, requestedBy: userId }, now);
  if (run !== null) return { configId, runId: run.id, isNew: true };
  const runId = (await findDemoConfig(sql, orgId))?.run_id;
  if (runId === null || runId === undefined) throw new Error('The conflicting run no longer exists');
  return { configId, runId, isNew: false };
}

/** The number of configuration names to try. */
const namesTried = 100;

async function insertDemoConfig(sql: Sql, orgId: string, userId: string, now: Date): Promise<string> {
  for (let number = 1; number <= namesTried; number += 1) {
    const config = {
      orgId,
      integrationId: null,
      name: number === 1 ? 'Demo data' : `Demo data ${number}`,
      provider: 'synthetic',
      targets: TARGETS,
      repositories: demoRepositories,
      isActive: true,
      isDemo: true,
      createdBy: userId,
    } as const;
    const id = await insertSyncConfig(sql, config, now);
    if (id !== null) return id;
  }
  throw new Error('Every name for the sync configuration of the demo is taken');
}

/** A worker on another server notices within this time, by its heartbeat, that its run was deleted. */
const workerNoticeSeconds = 5;

/**
 * Deletes the demo's sync configuration with its runs, and requests the removal of the data that they read.
 *
 * @returns null when there is none, otherwise the run that was in progress
 */
export async function dropDemoData(
  sql: Sql,
  orgId: string,
  now: Date,
): Promise<{ readonly activeRunId: string | null } | null> {
  await lockDemoData(sql, orgId);
  const config = await findDemoConfig(sql, orgId);
  if (config === null) return null;
  const isRunning = config.run_status === 'running';
  await sql`delete from sync_configs where org_id = ${orgId} and id = ${config.id}`;
  const availableAt = isRunning ? after(now, workerNoticeSeconds) : now;
  await requestTask(sql, { orgId, kind: 'remove_demo_data', availableAt }, now);
  return { activeRunId: stateOf(config.run_status) === 'filling' ? config.run_id : null };
}
