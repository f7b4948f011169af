import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';

/** Tasks on the records and work units of an organization. */
export type StoreTaskKind =
  'remove_demo_data' | 'assign_teams' | 'remove_organization' | 'store_pushed_records' | 'prune_records';

/** A task that a worker has taken. */
export interface TakenTask {
  readonly org_id: string;
  readonly kind: StoreTaskKind;
  readonly revision: string;
  /** Includes this attempt. */
  readonly attempts: number;
}

/** A task that is not finished. */
export interface OpenTask {
  /** Why the last attempt failed; null: none has failed. */
  readonly error: string | null;
}

/** Requests a task. It runs at least once after this transaction, and not before `availableAt`. */
export async function requestTask(
  sql: Sql,
  { orgId, kind, availableAt }: { readonly orgId: string; readonly kind: StoreTaskKind; readonly availableAt: Date },
  now: Date,
): Promise<void> {
  await sql`
    insert into store_tasks (org_id, kind, requested_at, available_at)
    values (${orgId}, ${kind}, ${now}, ${availableAt})
    on conflict (org_id, kind) do update set revision = store_tasks.revision + 1, requested_at = excluded.requested_at,
      available_at = excluded.available_at, attempts = 0`;
}

/**
 * Requests a task that is requested often: it runs once more after this transaction. It keeps its place in the queue, and
 * its back-off if it fails, so that the organization with the most requests comes neither last nor all the time.
 */
export async function requestTaskAgain(sql: Sql, orgId: string, kind: StoreTaskKind, now: Date): Promise<void> {
  await sql`
    insert into store_tasks (org_id, kind, requested_at, available_at) values (${orgId}, ${kind}, ${now}, ${now})
    on conflict (org_id, kind) do update set revision = store_tasks.revision + 1, requested_at = excluded.requested_at`;
}

export async function findTask(sql: Sql, orgId: string, kind: StoreTaskKind): Promise<OpenTask | null> {
  const [task] = await sql<OpenTask[]>`select error from store_tasks where org_id = ${orgId} and kind = ${kind}`;
  return task ?? null;
}

/** Takes a task that is due, or whose worker has stopped sending heartbeats. @returns null if there is none */
export async function takeDueTask(
  sql: Sql,
  worker: string,
  now: Date,
  silenceSeconds: number,
): Promise<TakenTask | null> {
  const [task] = await sql<TakenTask[]>`
    with due as (
      select org_id, kind from store_tasks
      where (worker is null and available_at <= ${now}) or heartbeat_at < ${after(now, -silenceSeconds)}
      order by available_at, org_id, kind limit 1 for update skip locked
    )
    update store_tasks task set worker = ${worker}, heartbeat_at = ${now}, attempts = attempts + 1
    from due where task.org_id = due.org_id and task.kind = due.kind
    returning task.org_id, task.kind, task.revision, task.attempts`;
  return task ?? null;
}

/** Stores a heartbeat. @returns false: another worker has the task, or its organization was deleted */
export async function storeTaskHeartbeat(sql: Sql, task: TakenTask, worker: string, now: Date): Promise<boolean> {
  const rows = await sql`
    update store_tasks set heartbeat_at = ${now} where ${isOurs(sql, task, worker)} returning 1`;
  return rows.length > 0;
}

/** Completes the task, unless it was requested again since it was taken; then it becomes due again. */
export async function storeTaskDone(sql: Sql, task: TakenTask, worker: string, now: Date): Promise<void> {
  await sql`delete from store_tasks where ${isOurs(sql, task, worker)} and revision = ${task.revision}`;
  await sql`
    update store_tasks set worker = null, heartbeat_at = null, error = null, attempts = 0, available_at = greatest(available_at, ${now})
    where ${isOurs(sql, task, worker)}`;
}

/** Puts the task back. @param error a message for users; null: the server ended the attempt, which does not count */
export async function putTaskBack(
  sql: Sql,
  task: TakenTask,
  worker: string,
  { availableAt, error }: { readonly availableAt: Date; readonly error: string | null },
): Promise<void> {
  await sql`
    update store_tasks set worker = null, heartbeat_at = null, available_at = ${availableAt},
      error = coalesce(${error}, error), attempts = attempts - ${error === null ? 1 : 0}
    where ${isOurs(sql, task, worker)}`;
}

function isOurs(sql: Sql, { org_id: orgId, kind }: TakenTask, worker: string): ReturnType<Sql> {
  return sql`org_id = ${orgId} and kind = ${kind} and worker = ${worker}`;
}
