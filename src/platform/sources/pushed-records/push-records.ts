import type {
  GetPushProgressHandler,
  PushRecordsHandler,
  PushRecordsReply,
  Schemas,
} from '../../../../generated/platform/operations.js';
import { tooManyPushes } from '../../../../generated/problems.js';
import { validationProblem } from '@plumbline/contract/violations';
import type { Sql } from '../../../database/connection.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { withoutCredentials } from '../../../sync/identity.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { refusalWhileMarked } from '../../tenancy/deletion/deletions.store.js';
import { findTask, requestTask } from '../store-tasks/store-tasks.store.js';
import { countWaiting, insertPush, lockWaiting, type Waiting } from './pushed-records.store.js';
import type { PushedContent } from './pushed-rows.js';
import { violationsOfPush } from './violations-of-push.js';

/** Bounds the memory and the disk that waiting records need while their database is out of reach. */
const most: Waiting = { pushes: 500, records: 100_000 };

export const pushRecords: PushRecordsHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, storeTasks },
) => {
  const now = clock.now();
  const { org_id: orgId } = principal;
  const violations = violationsOfPush(body, now);
  if (violations.length > 0) return validationProblem(violations);
  const counts = Object.entries(body).map(([kind, list]) => ({ kind, count: list.length }));
  const records = counts.reduce((sum, { count }) => sum + count, 0);
  const note = counts.map(({ kind, count }) => `${kind}: ${count}`).join(', ');
  const reply = await sql.begin(async (transaction): Promise<PushRecordsReply> => {
    const pending = await refusalWhileMarked(transaction, orgId);
    if (pending !== null) return pending;
    const waiting = await lockWaiting(transaction, orgId);
    if (waiting.pushes >= most.pushes || waiting.records + records > most.records) {
      return tooManyPushes({
        message: `${waiting.pushes} pushes with ${waiting.records} records wait to be stored; the maximum is ${most.pushes} pushes with ${most.records} records. Push again when fewer wait.`,
      });
    }
    await insertPush(transaction, { orgId, content: withoutSecrets(body), records }, now);
    await requestTask(transaction, { orgId, kind: 'store_pushed_records', availableAt: now }, now);
    const record = { action: 'RECORDS_PUSHED', resourceKind: 'RECORD', orgId, note, ...actorOf(principal) } as const;
    await recordAudit(transaction, context, now, record);
    return { status: 202, body: await progressOf(transaction, orgId) };
  });
  if (reply.status === 202) storeTasks.wake();
  return reply;
};

/** The address of a clone may have the token that it was cloned with. */
function withoutSecrets({ deployments, incidents, builds, issues }: PushedContent): PushedContent {
  const clean = <Item extends { readonly repository: string }>(item: Item): Item => ({
    ...item,
    repository: withoutCredentials(item.repository),
  });
  return {
    ...(deployments === undefined ? {} : { deployments: deployments.map(clean) }),
    ...(incidents === undefined ? {} : { incidents: incidents.map(clean) }),
    ...(builds === undefined ? {} : { builds: builds.map(clean) }),
    ...(issues === undefined ? {} : { issues: issues.map(clean) }),
  };
}

export const getPushProgress: GetPushProgressHandler<PlatformDependencies> = async ({ principal }, { sql }) => ({
  status: 200,
  body: await progressOf(sql, principal.org_id),
});

async function progressOf(sql: Sql, orgId: string): Promise<Schemas['PushProgress']> {
  const [task, { records }] = await Promise.all([
    findTask(sql, orgId, 'store_pushed_records'),
    countWaiting(sql, orgId),
  ]);
  const error = task?.error ?? null;
  if (task === null && records === 0) return { state: 'done', waiting_records: 0, error: null };
  return { state: error === null ? 'storing' : 'failing', waiting_records: records, error };
}
