import type { DeleteSyncConfigHandler, DeleteSyncConfigReply } from '../../../../generated/platform/operations.js';
import { syncRunActive } from '../../../../generated/problems.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { dropDemoData, lockDemoData } from '../../figures/demo/demo-data.store.js';
import { noSuchConfig } from './not-found.js';
import { lockSyncConfig, removeSyncConfig } from './sync-configs.store.js';
import { hasActiveRun } from './sync-runs.store.js';

export const deleteSyncConfig: DeleteSyncConfigHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock, storeTasks },
) => {
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = params.sync_config_id.toLowerCase();
  const reply = await sql.begin(async (transaction): Promise<DeleteSyncConfigReply> => {
    await lockDemoData(transaction, orgId); // locked before the configuration, in the same order as in other code
    const config = await lockSyncConfig(transaction, orgId, id, 'update');
    if (config === null) return noSuchConfig();
    if (await hasActiveRun(transaction, orgId, id)) {
      return syncRunActive({ message: 'A run is pending or running. Cancel it, or wait until it has ended.' });
    }
    if (config.is_demo) await dropDemoData(transaction, orgId, clock.now());
    else await removeSyncConfig(transaction, orgId, id);
    const record = { action: 'DELETE', resourceKind: 'SYNC_CONFIG', resourceId: id, orgId, ...actor } as const;
    await recordAudit(transaction, context, clock.now(), record);
    return { status: 204 };
  });
  if (reply.status === 204) storeTasks.wake();
  return reply;
};
