import type { DeleteSyncConfigHandler, DeleteSyncConfigReply } from '../../../generated/platform/operations.js';
import { syncRunActive } from '../../../generated/problems.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { noSuchConfig } from './not-found.js';
import { lockSyncConfig, removeSyncConfig } from './sync-configs.store.js';
import { hasActiveRun } from './sync-runs.store.js';

export const deleteSyncConfig: DeleteSyncConfigHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) => {
  const { org_id: orgId, user_id: userId } = principal;
  const id = params.sync_config_id.toLowerCase();
  return sql.begin(async (transaction): Promise<DeleteSyncConfigReply> => {
    if ((await lockSyncConfig(transaction, orgId, id, 'update')) === null) return noSuchConfig();
    if (await hasActiveRun(transaction, orgId, id)) {
      return syncRunActive({ message: 'A run is pending or running. Cancel it, or wait until it has ended.' });
    }
    await removeSyncConfig(transaction, orgId, id);
    const record = { action: 'DELETE', resourceKind: 'SYNC_CONFIG', resourceId: id, orgId, userId } as const;
    await recordAudit(transaction, context, clock.now(), record);
    return { status: 204 };
  });
};
