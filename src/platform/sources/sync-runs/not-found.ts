import {
  syncConfigNotFound,
  syncRunNotFound,
  type SyncConfigNotFound,
  type SyncRunNotFound,
} from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { findSyncConfig } from './sync-configs.store.js';
import type { SyncRunKey } from './sync-runs.store.js';

export function noSuchConfig(): SyncConfigNotFound {
  return syncConfigNotFound({ message: 'The organization has no such sync configuration.' });
}

/** The problem for a missing run: its configuration does not exist, or has no such run. */
export async function noSuchRun(
  sql: Sql,
  { orgId, configId }: SyncRunKey,
): Promise<SyncConfigNotFound | SyncRunNotFound> {
  if ((await findSyncConfig(sql, orgId, configId)) === null) return noSuchConfig();
  return syncRunNotFound({ message: 'The sync configuration has no such run.' });
}
