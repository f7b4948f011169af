/** The roles that mapped groups give. */
import type { PendingQuery, Row } from 'postgres';
import type { Sql } from '../../../database/connection.js';
import type { AuditContext } from '../../tenancy/audit/audit.store.js';
import { storeRole } from '../../tenancy/organizations/change-role.js';
import { endInvitesOf } from '../../tenancy/organizations/end-invites.js';
import type { Role } from '../accounts/accounts.store.js';
import type { Provisioning } from './provisioning.js';

/** Only what a change of roles needs: an admin who maps a group changes roles, too. */
export type RoleChange = Omit<Provisioning, 'context'> & { readonly context: AuditContext };

/** The highest role that the groups of a user give; null: they give none. */
export async function roleOfGroups(sql: Sql, orgId: string, personId: string): Promise<Role | null> {
  const [row] = await sql<[{ role: Role | null }]>`select (${highestRole(sql, orgId, sql`${personId}`)}) as role`;
  return row.role;
}

/**
 * The role that groups give somebody who joins, whatever role the invite has; null: they give none.
 *
 * @param person the account, and its address
 */
export async function roleOfNewMember(
  sql: Sql,
  orgId: string,
  { userId, email }: { readonly userId: string; readonly email: string },
): Promise<Role | null> {
  const [row] = await sql<{ role: Role | null }[]>`
    select (${highestRole(sql, orgId, sql`p.id`)}) as role from scim_people p
    where p.org_id = ${orgId} and (p.account_id = ${userId} or p.account_id is null and p.email = ${email})`;
  return row?.role ?? null;
}

/** @param personId an expression */
function highestRole(sql: Sql, orgId: string, personId: PendingQuery<Row[]>): PendingQuery<Row[]> {
  return sql`
    select g.role from scim_group_members m join scim_groups g on g.id = m.group_id
    where m.org_id = ${orgId} and m.person_id = ${personId} and g.role is not null
    order by array_position(array['admin', 'member', 'viewer'], g.role) limit 1`;
}

/**
 * Gives users the role of their groups, after one with a role has got or lost them: `member` if no other group gives
 * one. Owners keep their role. An invite of the identity provider gets the role, too.
 */
export async function applyGroupRoles(sql: Sql, personIds: readonly string[], change: RoleChange): Promise<void> {
  const { orgId, now, actor, context } = change;
  const people = await sql<{ id: string; member_id: string | null; role: Role | null; email: string; given: Role }[]>`
    select p.id, p.member_id, p.role, p.email, coalesce((${highestRole(sql, orgId, sql`p.id`)}), 'member') as given
    from scim_people p where p.org_id = ${orgId} and p.id = any (${sql.typed.texts(personIds)}::text[]::uuid[])`;
  for (const { id, member_id: userId, role: former, email, given } of people) {
    if (former === 'owner' || former === given) continue;
    if (userId === null || former === null) {
      await sql`
        update invites set role = ${given}
        where org_id = ${orgId} and email = ${email} and by_scim and accepted_at is null and revoked_at is null`;
      await sql`update scim_users set former_role = ${given} where org_id = ${orgId} and id = ${id}`;
      continue;
    }
    const cause = ', by a group of the identity provider';
    await storeRole(sql, { orgId, userId, role: former }, given, { actor, context, now, cause });
    await endInvitesOf(sql, { inviterId: userId, ...actor }, context, now);
  }
}
