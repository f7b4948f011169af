import type { StartSyncRunHandler, StartSyncRunReply } from '../../../../generated/platform/operations.js';
import { syncConfigInactive, syncRunActive, tooManySyncRuns } from '../../../../generated/problems.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { refusalWhileMarked } from '../../tenancy/deletion/deletions.store.js';
import { noSuchConfig } from './not-found.js';
import { lockSyncConfig } from './sync-configs.store.js';
import { hasActiveRun, insertSyncRun, lockNumberOfActiveRuns, syncRunOf } from './sync-runs.store.js';

export const startSyncRun: StartSyncRunHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock, settings, syncJobs },
) => {
  const now = clock.now();
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const configId = params.sync_config_id.toLowerCase();
  const reply = await sql.begin(async (transaction): Promise<StartSyncRunReply> => {
    const config = await lockSyncConfig(transaction, orgId, configId, 'share');
    if (config === null) return noSuchConfig();
    const pending = await refusalWhileMarked(transaction, orgId);
    if (pending !== null) return pending;
    if (!config.is_active) {
      return syncConfigInactive({ message: 'The sync configuration is inactive. Set is_active to true first.' });
    }
    const active = syncRunActive({ message: 'A run of this configuration is pending or running.' });
    const most = settings.syncRunsPerOrganization;
    if ((await lockNumberOfActiveRuns(transaction, orgId)) >= most) {
      if (await hasActiveRun(transaction, orgId, configId)) return active;
      return tooManySyncRuns({
        message: `${most} runs of the organization are pending or running, which is the maximum. Wait until one ends, or cancel one.`,
      });
    }
    const run = await insertSyncRun(transaction, { orgId, configId, requestedBy: actor.userId }, now);
    if (run === null) return active;
    const record = { action: 'SYNC_STARTED', resourceKind: 'SYNC_RUN', resourceId: run.id, orgId, ...actor } as const;
    await recordAudit(transaction, context, now, record);
    const location = `/api/v1/admin/sync-configs/${configId}/runs/${run.id}`;
    return { status: 202, headers: { Location: location }, body: syncRunOf(run) };
  });
  if (reply.status === 202) syncJobs.wake();
  return reply;
};
