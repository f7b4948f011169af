import type { DatabaseSql, Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';
import { lockUsers } from '../../identity/accounts/accounts.store.js';
import { requestTask } from '../../sources/store-tasks/store-tasks.store.js';
import { noContext, recordAudit } from '../audit/audit.store.js';
import { lockOrganization } from '../organizations/members.store.js';

/** The organizations whose removal is due, the longest due first. */
export async function selectDueDeletions(sql: Sql, now: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ org_id: string }[]>`
    select org_id from organization_deletions
    where started_at is null and due_at <= ${now} order by due_at, org_id limit ${limit}`;
  return rows.map((row) => row.org_id);
}

/** The organizations whose records and work units are removed, so that the rest can be. */
export async function selectEmptiedOrganizations(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ org_id: string }[]>`
    select org_id from organization_deletions d
    where started_at is not null
      and not exists (select 1 from store_tasks t where t.org_id = d.org_id and t.kind = 'remove_organization')
    order by started_at, org_id limit ${limit}`;
  return rows.map((row) => row.org_id);
}

/** A worker on another server notices within this time, by its heartbeat, that its run or task has ended. */
const workerNoticeSeconds = 5;

/**
 * Begins a removal: ends the memberships and all work, and requests the removal of records and work units.
 *
 * @returns false: another server has begun it, or it was taken back
 */
export async function beginRemoval(sql: DatabaseSql, orgId: string, now: Date): Promise<boolean> {
  return sql.begin(async (transaction) => {
    const members = await transaction<{ user_id: string }[]>`
      select user_id from memberships where org_id = ${orgId}`;
    await lockUsers(
      transaction,
      members.map((member) => member.user_id),
    );
    await lockOrganization(transaction, orgId);
    const started = await transaction`
      update organization_deletions set started_at = ${now}
      where org_id = ${orgId} and started_at is null and due_at <= ${now} returning 1`;
    if (started.length === 0) return false;
    await transaction`delete from memberships where org_id = ${orgId}`;
    await transaction`
      update webhooks set is_active = false, inactive_since = ${now} where org_id = ${orgId} and is_active`;
    await transaction`
      update sync_runs set status = 'cancelled', finished_at = ${now}
      where org_id = ${orgId} and status in ('pending', 'running')`;
    await transaction`delete from store_tasks where org_id = ${orgId}`;
    const availableAt = after(now, workerNoticeSeconds);
    await requestTask(transaction, { orgId, kind: 'remove_organization', availableAt }, now);
    return true;
  });
}

/** Rows per transaction, so that locks are held briefly. */
const batchSize = 1000;

/**
 * Removes a part of what is left of an organization, and finally the organization.
 *
 * @returns false: another server is removing it, or has removed it
 */
export async function removeNextPart(sql: DatabaseSql, orgId: string, now: Date): Promise<boolean> {
  return sql.begin(async (transaction) => {
    const [held] = await transaction<{ name: string }[]>`
      select o.name from organization_deletions d join organizations o on o.id = d.org_id
      where d.org_id = ${orgId} and d.started_at is not null for update of d skip locked`;
    if (held === undefined) return false;
    for (const removeBatch of [detachSessions, deleteRuns, deleteDeliveries]) {
      if (await removeBatch(transaction, orgId)) return true;
    }
    // The rest are few rows, which go with the organization by their foreign keys.
    await transaction`delete from organizations where id = ${orgId}`;
    await recordAudit(transaction, noContext, now, {
      action: 'DELETE',
      resourceKind: 'ORGANIZATION',
      resourceId: orgId,
      orgId,
      userId: null,
      note: held.name,
    });
    return true;
  });
}

/** Sessions would go with the organization; without it, they continue at their next refresh. */
async function detachSessions(sql: Sql, orgId: string): Promise<boolean> {
  const { count } = await sql`
    update refresh_tokens set org_id = null
    where token_hash in (select token_hash from refresh_tokens where org_id = ${orgId} limit ${batchSize})`;
  return count > 0;
}

async function deleteRuns(sql: Sql, orgId: string): Promise<boolean> {
  const { count } = await sql`
    delete from sync_runs where id in (select id from sync_runs where org_id = ${orgId} limit ${batchSize})`;
  return count > 0;
}

async function deleteDeliveries(sql: Sql, orgId: string): Promise<boolean> {
  const { count } = await sql`
    delete from webhook_deliveries where id in (
      select d.id from webhook_deliveries d join webhooks w on w.id = d.webhook_id
      where w.org_id = ${orgId} limit ${batchSize})`;
  return count > 0;
}
