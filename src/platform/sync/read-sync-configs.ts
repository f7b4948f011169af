import type { GetSyncConfigHandler, ListSyncConfigsHandler } from '../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../dependencies.js';
import { noSuchConfig } from './not-found.js';
import { findSyncConfig, selectSyncConfigs, syncConfigOf } from './sync-configs.store.js';

export const listSyncConfigs: ListSyncConfigsHandler<PlatformDependencies> = async ({ principal }, { sql }) => {
  const rows = await selectSyncConfigs(sql, principal.org_id);
  return { status: 200, body: { items: rows.map(syncConfigOf) } };
};

export const getSyncConfig: GetSyncConfigHandler<PlatformDependencies> = async ({ params, principal }, { sql }) => {
  const row = await findSyncConfig(sql, principal.org_id, params.sync_config_id);
  return row === null ? noSuchConfig() : { status: 200, body: syncConfigOf(row) };
};
