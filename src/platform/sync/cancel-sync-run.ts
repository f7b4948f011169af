import type { CancelSyncRunHandler, CancelSyncRunReply } from '../../../generated/platform/operations.js';
import { syncRunNotActive } from '../../../generated/problems.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { noSuchRun } from './not-found.js';
import { endSyncRun, findSyncRun, syncRunOf } from './sync-runs.store.js';

export const cancelSyncRun: CancelSyncRunHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock, syncJobs },
) => {
  const now = clock.now();
  const { org_id: orgId, user_id: userId } = principal;
  const key = { orgId, configId: params.sync_config_id, runId: params.run_id };
  const reply = await sql.begin(async (transaction): Promise<CancelSyncRunReply> => {
    const run = await endSyncRun(transaction, key, now);
    if (run === null) {
      if ((await findSyncRun(transaction, key)) === null) return noSuchRun(transaction, key);
      return syncRunNotActive({ message: 'The run has ended already.' });
    }
    const record = { action: 'SYNC_CANCELLED', resourceKind: 'SYNC_RUN', resourceId: run.id, orgId, userId } as const;
    await recordAudit(transaction, context, now, record);
    return { status: 200, body: syncRunOf(run) };
  });
  if (reply.status === 200) syncJobs.recheck(reply.body.id);
  return reply;
};
