import type { GetSyncRunHandler, ListSyncRunsHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { replyWithPage } from '../../server/paging.js';
import { noSuchConfig, noSuchRun } from './not-found.js';
import { findSyncConfig } from './sync-configs.store.js';
import { findSyncRun, selectSyncRuns, syncRunOf } from './sync-runs.store.js';

export const listSyncRuns: ListSyncRunsHandler<PlatformDependencies> = async (
  { params, query, principal },
  { sql },
) => {
  const key = { orgId: principal.org_id, configId: params.sync_config_id };
  if ((await findSyncConfig(sql, key.orgId, key.configId)) === null) return noSuchConfig();
  return replyWithPage(query, {
    select: (position, limit) => selectSyncRuns(sql, key, position, limit),
    positionOf: (row) => ({ at: row.created_at, id: row.id }),
    itemOf: syncRunOf,
  });
};

export const getSyncRun: GetSyncRunHandler<PlatformDependencies> = async ({ params, principal }, { sql }) => {
  const key = { orgId: principal.org_id, configId: params.sync_config_id, runId: params.run_id };
  const row = await findSyncRun(sql, key);
  return row === null ? noSuchRun(sql, key) : { status: 200, body: syncRunOf(row) };
};
