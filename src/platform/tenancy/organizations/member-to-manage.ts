import type { Schemas } from '../../../../generated/platform/operations.js';
import {
  insufficientRole,
  memberNotFound,
  type InsufficientRole,
  type MemberNotFound,
} from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { Role } from '../../identity/accounts/accounts.store.js';
import { reaches } from '../../identity/accounts/permissions.js';
import { actingRole, findMember, lockMembers, type ActingMember, type MemberRow } from './members.store.js';

export type Managed =
  | {
      readonly member: MemberRow;
      /** The caller's current role. */
      readonly actingAs: Role;
    }
  | { readonly refusal: InsufficientRole | MemberNotFound };

/**
 * Finds a member whom the caller may change or remove, and locks both and their organization until the transaction
 * ends. Only admins and owners can manage others, and only members up to their own role.
 *
 * @param self whether members of every role can manage their own membership
 */
export async function memberToManage(
  sql: Sql,
  principal: ActingMember,
  userId: string,
  self: 'with any role' | 'as an admin',
): Promise<Managed> {
  const orgId = principal.org_id;
  await lockMembers(sql, orgId, [principal.user_id, userId]);
  const actingAs = await actingRole(sql, principal);
  const isFree = self === 'with any role' && userId.toLowerCase() === principal.user_id;
  if (!isFree && (actingAs === null || !reaches(actingAs, 'admin'))) return { refusal: adminRequired(actingAs) };
  const member = await findMember(sql, orgId, userId);
  if (member === null) return { refusal: memberNotFound({ message: 'The organization has no such member.' }) };
  if (actingAs === null) return { refusal: adminRequired(actingAs) };
  if (!reaches(actingAs, member.role)) {
    const message = `The role of this member is above yours: only an ${member.role} can do that.`;
    return { refusal: insufficientRole({ message, required_role: member.role }) };
  }
  return { member, actingAs };
}

/**
 * Checks the caller's role again, under the lock of the organization. It may have changed since authentication.
 *
 * @returns the refusal; null: the caller is an admin or owner
 */
export async function refuseFormerAdmin(
  sql: Sql,
  principal: Schemas['MemberPrincipal'],
): Promise<InsufficientRole | null> {
  const actingAs = await actingRole(sql, principal);
  return actingAs !== null && reaches(actingAs, 'admin') ? null : adminRequired(actingAs);
}

/** Only admins and owners can manage others. @param role the caller's role; null: no longer a member */
export function adminRequired(role: Role | null): InsufficientRole {
  return insufficientRole({
    message: `This needs the role admin or a higher one; ${inWords(role)}.`,
    required_role: 'admin',
  });
}

/** Only owners decide about the organization. @param role the caller's role; null: no longer a member */
export function ownerRequired(role: Role | null): InsufficientRole {
  return insufficientRole({ message: `This needs the role owner; ${inWords(role)}.`, required_role: 'owner' });
}

function inWords(role: Role | null): string {
  return role === null ? 'you have none' : `yours is ${role}`;
}
