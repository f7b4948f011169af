import type { PendingQuery, Row } from 'postgres';
import { recoveryOwner, type RecoveryOwner } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { isMarked } from '../../tenancy/deletion/deletions.store.js';

/**
 * Whether a user is the recovery owner of the connection `c`, whom required SSO does not keep out: only as long as the user is an
 * owner of the organization.
 *
 * @param user the expression of the user's id
 */
export function isRecoveryOwner(sql: Sql, user: PendingQuery<Row[]>): PendingQuery<Row[]> {
  return sql`(c.recovery_owner_id = ${user} and exists (
    select 1 from memberships r where r.org_id = c.org_id and r.user_id = ${user} and r.role = 'owner')) is true`;
}

/**
 * Refuses a change that would leave an organization that requires SSO without its recovery owner, who alone can enter it
 * when the provider fails. Call it under the organization's lock.
 *
 * @returns null: the user is not the recovery owner, SSO is not required, or the user could not log in anyway
 */
export async function refusalOfRecoveryOwner(sql: Sql, orgId: string, userId: string): Promise<RecoveryOwner | null> {
  const rows = await sql`select 1 from sso_connections c where c.org_id = ${orgId} and ${recovers(sql, userId)}`;
  if (rows.length === 0) return null;
  const message = 'This is the recovery owner, and the organization requires SSO. Name another recovery owner first.';
  return recoveryOwner({ message });
}

/**
 * Refuses the end of an account that organizations with other members need as their recovery owner. Call it under the
 * locks of the organizations of the user.
 */
export async function refusalOfErasedRecoveryOwner(sql: Sql, userId: string): Promise<RecoveryOwner | null> {
  const rows = await sql<{ name: string }[]>`
    select o.name from sso_connections c join organizations o on o.id = c.org_id
    where ${recovers(sql, userId)} and not ${isMarked(sql, 'o.id')}
      and exists (select 1 from memberships m where m.org_id = o.id and m.user_id <> ${userId})
    order by o.name, o.id limit 100`;
  if (rows.length === 0) return null;
  const names = rows.map(({ name }) => name).join(', ');
  const message = `The account is the recovery owner of ${names}, where SSO is required. Name another recovery owner first.`;
  return recoveryOwner({ message });
}

/** Whether a user can enter the organization of the connection `c` without the SSO that it requires. */
function recovers(sql: Sql, userId: string): PendingQuery<Row[]> {
  return sql`c.is_required and ${isRecoveryOwner(sql, sql`${userId}::uuid`)}
    and exists (select 1 from users u where u.id = ${userId} and u.is_active)`;
}
