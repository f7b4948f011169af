import type { Schemas } from '../../../../../generated/platform/operations.js';
import type { DatabaseSql, Sql } from '../../../../database/connection.js';
import { after } from '../../../clock.js';
import type { InactiveReason } from '../../integrations/integrations.store.js';
import { noteIntegration } from '../../integrations/sync-failure.js';
import { requestEvaluation } from '../../../figures/thresholds/thresholds.store.js';
import { recordEvent } from '../../../messages/webhooks/record-event.js';
import { isMarked } from '../../../tenancy/deletion/deletions.store.js';
import { finishedEvent } from '../finished-event.js';
import type { StepResult } from './sync-job.js';

/** A run that this worker has taken, with its job. */
export interface TakenRun {
  readonly id: string;
  readonly org_id: string;
  /** When it was first taken. */
  readonly started_at: Date;
  /** Includes this attempt. */
  readonly attempts: number;
  readonly progress: Partial<Schemas['SyncProgress']>;
  /** The results of earlier attempts; null: there are none. */
  readonly result: StoredResult | null;
  /** The notes of earlier attempts. */
  readonly notes: readonly string[];
  readonly provider: Schemas['SyncProvider'];
  readonly targets: Schemas['SyncTarget'][];
  readonly repositories: string[];
  /** Whether it removes commits that a rewritten history no longer has. */
  readonly prune: boolean;
  /** Whether it fills an organization with demo data. */
  readonly is_demo: boolean;
  readonly integration_id: string | null;
  /** The credential of the integration; null if there is none or it is disabled. */
  readonly secret_sealed: Uint8Array | null;
  readonly base_url: string | null;
  /** When the token of an installation of the app ends; null: the credential is a token that stays. */
  readonly token_expires_at: Date | null;
  /** Why the integration is disabled, if the code host has said so. */
  readonly inactive_reason: InactiveReason | null;
}

/** The column `result`: the outcome of each step. */
export interface StoredResult {
  readonly steps: readonly StepResult[];
}

/** Identifies the writer: a run belongs to the worker that took it last. */
export interface RunOfWorker {
  readonly runId: string;
  readonly worker: string;
}

/** The stored progress of a run. */
export interface RunState {
  readonly progress: Partial<Schemas['SyncProgress']>;
  /** null: the stored ones are complete. */
  readonly steps: readonly StepResult[] | null;
  readonly notes: readonly string[];
}

/**
 * Takes runs that are pending, or whose worker has been silent for `silenceSeconds`. No two workers take the same run.
 * Organizations with fewer running runs come first, so that one with many or slow runs does not delay the others. Those
 * that are marked for deletion have none.
 *
 * @param options `runId` takes only that run, if it is due
 */
export async function takeDueRuns(
  sql: Sql,
  worker: string,
  now: Date,
  options: { readonly silenceSeconds: number; readonly limit: number; readonly runId?: string },
): Promise<TakenRun[]> {
  const { silenceSeconds, limit, runId } = options;
  return sql<TakenRun[]>`
    with due as (
      select id from sync_runs
      where ((status = 'pending' and available_at <= ${now})
        or (status = 'running' and coalesce(heartbeat_at, started_at, created_at) < ${after(now, -silenceSeconds)}))
        ${runId === undefined ? sql`` : sql`and id = ${runId}`}
        and not ${isMarked(sql, 'sync_runs.org_id')}
      order by (select count(*) from sync_runs o where o.org_id = sync_runs.org_id and o.status = 'running'),
        available_at, id
      limit ${limit} for update skip locked
    ), taken as (
      update sync_runs set status = 'running', worker = ${worker}, heartbeat_at = ${now},
        started_at = coalesce(started_at, ${now}), attempts = attempts + 1
      where id in (select id from due)
      returning id, org_id, sync_config_id, started_at, attempts, progress, result, notes, targets, repositories
    )
    select t.id, t.org_id, t.started_at, t.attempts, t.progress, t.result, t.notes, c.provider, c.prune, c.is_demo,
      coalesce(t.targets, c.targets) as targets, coalesce(t.repositories, c.repositories) as repositories, c.integration_id,
      case when i.is_active then i.secret_sealed end as secret_sealed, i.base_url, i.token_expires_at, i.inactive_reason
    from taken t
    join sync_configs c on c.org_id = t.org_id and c.id = t.sync_config_id
    left join integrations i on i.org_id = c.org_id and i.id = c.integration_id`;
}

/** Stores a heartbeat and the progress. @returns false: the run has ended, or belongs to another worker */
export async function storeHeartbeat(sql: Sql, run: RunOfWorker, state: RunState, now: Date): Promise<boolean> {
  const updated = await sql`
    update sync_runs set heartbeat_at = ${now}, ${stateColumns(sql, state)}
    where ${isStillOurs(sql, run)} returning 1`;
  return updated.length > 0;
}

/** Ends a run. @returns false: it has already ended, or belongs to another worker */
export async function storeEnd(
  sql: DatabaseSql,
  run: RunOfWorker,
  state: RunState,
  { status, error }: { readonly status: 'complete' | 'partial' | 'failed'; readonly error: string | null },
  now: Date,
): Promise<boolean> {
  return sql.begin(async (transaction) => {
    const [ended] = await transaction<{ id: string; org_id: string; sync_config_id: string }[]>`
      update sync_runs set status = ${status}, error = ${error}, finished_at = ${now}, worker = null,
        ${stateColumns(transaction, state)}
      where ${isStillOurs(transaction, run)} returning id, org_id, sync_config_id`;
    if (ended === undefined) return false;
    await recordEvent(transaction, finishedEvent(ended, status), now);
    await requestEvaluation(transaction, ended.org_id, now);
    if (state.steps !== null) await noteIntegration(transaction, ended, state.steps, now);
    if (status === 'complete') {
      await transaction`
        update organizations set first_sync_completed_at = ${now}
        where id = ${ended.org_id} and first_sync_completed_at is null
          and not (select is_demo from sync_configs where org_id = ${ended.org_id} and id = ${ended.sync_config_id})`;
    }
    return true;
  });
}

/**
 * Puts a run back into the queue. @param counts whether this was an attempt; an interruption by the server is not
 * @returns false: it has ended, or belongs to another worker
 */
export async function putBack(
  sql: Sql,
  run: RunOfWorker,
  state: RunState,
  {
    availableAt,
    error,
    counts,
  }: { readonly availableAt: Date; readonly error: string | null; readonly counts: boolean },
): Promise<boolean> {
  const updated = await sql`
    update sync_runs set status = 'pending', available_at = ${availableAt}, error = ${error}, worker = null,
      heartbeat_at = null, attempts = attempts - ${counts ? 0 : 1}, ${stateColumns(sql, state)}
    where ${isStillOurs(sql, run)} returning 1`;
  return updated.length > 0;
}

function stateColumns(sql: Sql, { progress, steps, notes }: RunState): ReturnType<Sql> {
  const result: StoredResult | null = steps === null ? null : { steps };
  return sql`progress = ${JSON.stringify(progress)}::text::jsonb, notes = ${sql.typed.texts(notes)}
    ${result === null ? sql`` : sql`, result = ${JSON.stringify(result)}::text::jsonb`}`;
}

function isStillOurs(sql: Sql, { runId, worker }: RunOfWorker): ReturnType<Sql> {
  return sql`id = ${runId} and status = 'running' and worker = ${worker}`;
}
