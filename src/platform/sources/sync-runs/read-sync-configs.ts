import type { GetSyncConfigHandler, ListSyncConfigsHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { replyWithPage } from '../../server/paging.js';
import { noSuchConfig } from './not-found.js';
import { findSyncConfig, selectSyncConfigs, syncConfigOf } from './sync-configs.store.js';

export const listSyncConfigs: ListSyncConfigsHandler<PlatformDependencies> = ({ query, principal }, { sql }) =>
  replyWithPage(query, {
    select: (position, limit) => selectSyncConfigs(sql, principal.org_id, position, limit),
    positionOf: (row) => ({ at: row.created_at, id: row.id }),
    itemOf: syncConfigOf,
  });

export const getSyncConfig: GetSyncConfigHandler<PlatformDependencies> = async ({ params, principal }, { sql }) => {
  const row = await findSyncConfig(sql, principal.org_id, params.sync_config_id);
  return row === null ? noSuchConfig() : { status: 200, body: syncConfigOf(row) };
};
