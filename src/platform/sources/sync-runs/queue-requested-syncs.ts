import type { Log } from '@plumbline/contract/contract-types';
import type { DatabaseSql, Sql } from '../../../database/connection.js';
import { noContext, recordAudit } from '../../tenancy/audit/audit.store.js';
import { addToPendingRun, selectRequested, takeRequestedSyncs, type SyncConfigKey } from './requested-syncs.store.js';
import { lockSyncConfig } from './sync-configs.store.js';
import { hasActiveRun, insertSyncRun, lockNumberOfActiveRuns } from './sync-runs.store.js';

/**
 * Queues runs of the repositories that have changed at their code host. Requests that come while a run of their
 * configuration is at work wait for its end, so that many changes cause few runs: at most one waits.
 *
 * @param most maximum number of pending and running runs of an organization; requests beyond it wait
 */
export async function queueRequestedSyncs(sql: DatabaseSql, now: Date, most: number, log: Log): Promise<void> {
  for (const key of await selectRequested(sql)) {
    try {
      await sql.begin((transaction) => queue(transaction, key, now, most));
    } catch (error) {
      // The others continue, and so do the runs that wait.
      const fields = { sync_config_id: key.configId, org_id: key.orgId, err: error };
      log.warn(fields, 'a requested sync run cannot be queued; will retry');
    }
  }
}

async function queue(sql: Sql, key: SyncConfigKey, now: Date, most: number): Promise<void> {
  const { orgId, configId } = key;
  const config = await lockSyncConfig(sql, orgId, configId, 'share');
  if (config === null) return; // deleted with its requests
  if (!config.is_active) {
    await takeRequestedSyncs(sql, key);
    return;
  }
  const active = await lockNumberOfActiveRuns(sql, orgId);
  if (await addToPendingRun(sql, key)) return;
  if (active >= most || (await hasActiveRun(sql, orgId, configId))) return;
  const repositories = await takeRequestedSyncs(sql, key);
  if (repositories.length === 0) return; // another server was first
  const run = await insertSyncRun(sql, { orgId, configId, requestedBy: null, repositories }, now);
  if (run === null) throw new Error('A run was queued under the lock of its organization');
  const record = { action: 'SYNC_STARTED', resourceKind: 'SYNC_RUN', resourceId: run.id, orgId, userId: null } as const;
  await recordAudit(sql, noContext, now, { ...record, note: 'repositories changed at the code host, or are due' });
}
