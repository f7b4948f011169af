import type { DatabaseSql, Sql } from '../../../../database/connection.js';
import { after } from '../../../clock.js';
import { noContext, recordAudit } from '../../../tenancy/audit/audit.store.js';
import { isMarked } from '../../../tenancy/deletion/deletions.store.js';
import { requestWholeSync } from '../requested-syncs.store.js';
import { hasActiveRun, insertSyncRun, lockNumberOfActiveRuns } from '../sync-runs.store.js';
import { nextRunAt } from './schedule.js';

/** Clocks of servers differ by less than this, in seconds. */
const clockSkew = 60;
/** The seconds after which an organization with the maximum number of runs is asked again. */
const postponement = 60;

/** Stores when a configuration runs by itself; `null`: only on request. */
export async function storeSchedule(
  sql: Sql,
  orgId: string,
  id: string,
  schedule: string | null,
  now: Date,
): Promise<void> {
  const next = schedule === null ? null : nextRunAt(schedule, id, now);
  await sql`
    update sync_configs set schedule = ${schedule}, next_run_at = ${next},
      scheduled_at = ${schedule === null ? null : now}
    where org_id = ${orgId} and id = ${id}`;
}

/**
 * The runs of the configuration `c` that failed in a row, as the table `failures` with `failed_runs` and `failed_at`. A
 * run counts that was queued after the last success, the last change of the configuration, and the last successful test
 * of its integration.
 */
export function joinFailures(sql: Sql): ReturnType<Sql> {
  return sql`
    cross join lateral (
      select count(*)::int as failed_runs, max(finished_at) as failed_at from sync_runs
      where org_id = c.org_id and sync_config_id = c.id and status = 'failed' and created_at >= greatest(
        c.updated_at,
        (select last_tested_at from integrations i where i.org_id = c.org_id and i.id = c.integration_id and last_test_ok),
        (select max(created_at) from sync_runs
          where org_id = c.org_id and sync_config_id = c.id and status in ('complete', 'partial')))
    ) failures`;
}

/** When the configuration `c` with its `failures` runs next: failures delay it by 15 minutes, doubled each time, up to a day. */
export function nextStart(sql: Sql): ReturnType<Sql> {
  return sql`greatest(c.next_run_at, failures.failed_at
    + least(interval '15 minutes' * 2 ^ least(failures.failed_runs - 1, 7), interval '1 day'))`;
}

/**
 * The condition that the configuration `c` with its `failures` is due. One whose next time was computed in the future is
 * due, too: a clock was set back, and that time can be far away.
 */
export function isDue(sql: Sql, now: Date): ReturnType<Sql> {
  return sql`c.schedule is not null and c.is_active and not c.is_demo and not ${isMarked(sql, 'c.org_id')}
    and (c.next_run_at <= ${now} and ${nextStart(sql)} <= ${now} or c.scheduled_at > ${after(now, clockSkew)})`;
}

/** The configurations that are due, those that have waited for the longest time first. */
export async function selectDueConfigs(
  sql: Sql,
  now: Date,
  limit: number,
): Promise<{ readonly id: string; readonly org_id: string }[]> {
  return sql<{ id: string; org_id: string }[]>`
    select c.id, c.org_id from sync_configs c ${joinFailures(sql)} where ${isDue(sql, now)}
    order by c.next_run_at, c.id limit ${limit}`;
}

/** The outcome for a configuration that was due. */
export type ScheduledStart =
  | { readonly outcome: 'started'; readonly runId: string }
  /** `skipped`: a run is pending or running; if it reads less, another one follows. `postponed`: the organization has too many. `corrected`: a clock was set back. */
  | { readonly outcome: 'skipped' | 'postponed' | 'corrected' };

/**
 * Queues the run of a configuration that is due, and computes its next time, in one transaction: of several servers, one
 * starts it, and a server that dies either did both or nothing. Times that have passed meanwhile are left out.
 *
 * @param most the maximum number of pending and running runs of an organization
 * @returns null: another server has it, or it is due no more
 */
export async function startDueRun(
  sql: DatabaseSql,
  { id, org_id: orgId }: { readonly id: string; readonly org_id: string },
  most: number,
  now: Date,
): Promise<ScheduledStart | null> {
  return sql.begin(async (transaction): Promise<ScheduledStart | null> => {
    const [due] = await transaction<{ schedule: string; was_ahead: boolean }[]>`
      select c.schedule, c.scheduled_at > ${after(now, clockSkew)} as was_ahead
      from sync_configs c ${joinFailures(transaction)}
      where c.org_id = ${orgId} and c.id = ${id} and ${isDue(transaction, now)}
      for no key update of c skip locked`;
    if (due === undefined) return null;
    await storeSchedule(transaction, orgId, id, due.schedule, now);
    if (due.was_ahead) return { outcome: 'corrected' };
    const runs = await lockNumberOfActiveRuns(transaction, orgId);
    if (runs >= most && !(await hasActiveRun(transaction, orgId, id))) {
      await transaction`update sync_configs set next_run_at = ${after(now, postponement)} where id = ${id}`;
      return { outcome: 'postponed' };
    }
    const run = await insertSyncRun(transaction, { orgId, configId: id, requestedBy: null }, now);
    if (run === null) {
      // One of the repositories that have changed at the code host must not keep the others from being read.
      await requestWholeSync(transaction, { orgId, configId: id }, now);
      return { outcome: 'skipped' };
    }
    const record = {
      action: 'SYNC_STARTED',
      resourceKind: 'SYNC_RUN',
      resourceId: run.id,
      orgId,
      userId: null,
    } as const;
    await recordAudit(transaction, noContext, now, { ...record, note: `schedule ${due.schedule}` });
    return { outcome: 'started', runId: run.id };
  });
}
