import type { RequestContext } from '@plumbline/contract/contract-types';
import type { CancelSyncRunHandler } from '../../../../generated/platform/operations.js';
import { syncRunNotActive } from '../../../../generated/problems.js';
import { actorOf, type Actor } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { requestEvaluation } from '../../figures/thresholds/thresholds.store.js';
import { recordEvent } from '../../messages/webhooks/record-event.js';
import { finishedEvent } from './finished-event.js';
import { endedRun } from './jobs/sync-job.js';
import { noSuchRun } from './not-found.js';
import { endSyncRun, findSyncRun, syncRunOf, type SyncRunKey, type SyncRunRow } from './sync-runs.store.js';

export const cancelSyncRun: CancelSyncRunHandler<PlatformDependencies> = async (
  { params, principal, context },
  dependencies,
) => {
  const key = { orgId: principal.org_id, configId: params.sync_config_id, runId: params.run_id };
  const run = await cancelRun(key, actorOf(principal), context, dependencies);
  if (run !== null) return { status: 200, body: syncRunOf(run) };
  if ((await findSyncRun(dependencies.sql, key)) === null) return noSuchRun(dependencies.sql, key);
  return syncRunNotActive({ message: 'The run has already ended.' });
};

/** Ends a pending or running run, and records it. @returns null when it does not exist, or has already ended */
export async function cancelRun(
  key: SyncRunKey,
  actor: Actor,
  context: RequestContext,
  { sql, clock, syncJobs, syncRunEnded }: PlatformDependencies,
): Promise<SyncRunRow | null> {
  const now = clock.now();
  const { orgId } = key;
  const ended = await sql.begin(async (transaction) => {
    const row = await endSyncRun(transaction, key, now);
    if (row === null) return null;
    const resourceId = row.run.id;
    const record = { action: 'SYNC_CANCELLED', resourceKind: 'SYNC_RUN', resourceId, orgId, ...actor } as const;
    await recordAudit(transaction, context, now, record);
    const { sync_config_id } = row.run;
    await recordEvent(transaction, finishedEvent({ id: resourceId, org_id: orgId, sync_config_id }, 'cancelled'), now);
    await requestEvaluation(transaction, orgId, now); // the run may have stored units
    return row;
  });
  if (ended === null) return null;
  const { run, provider } = ended;
  syncRunEnded(endedRun(provider, 'cancelled', run.started_at, now));
  syncJobs.recheck(run.id);
  return run;
}
