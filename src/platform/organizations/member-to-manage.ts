import type { Schemas } from '../../../generated/platform/operations.js';
import {
  insufficientRole,
  memberNotFound,
  type InsufficientRole,
  type MemberNotFound,
} from '../../../generated/problems.js';
import type { Sql } from '../../database/connection.js';
import type { Role } from '../accounts/accounts.store.js';
import { reaches } from '../accounts/permissions.js';
import { actingRole, findMember, lockMembers, type MemberRow } from './members.store.js';

export type Managed =
  | {
      readonly member: MemberRow;
      /** The role of who manages, as it is now. */
      readonly actingAs: Role;
    }
  | { readonly refusal: InsufficientRole | MemberNotFound };

/**
 * Finds a member whom the caller may change or remove, and locks both and their organization until the transaction
 * ends. Nobody manages a member whose role is above their own.
 */
export async function memberToManage(
  sql: Sql,
  principal: Schemas['MemberPrincipal'],
  userId: string,
): Promise<Managed> {
  const orgId = principal.org_id;
  await lockMembers(sql, orgId, [principal.user_id, userId]);
  const actingAs = await actingRole(sql, principal);
  if (actingAs === null || !reaches(actingAs, 'admin')) {
    return { refusal: insufficientRole({ message: 'You are no admin any longer.', required_role: 'admin' }) };
  }
  const member = await findMember(sql, orgId, userId);
  if (member === null) return { refusal: memberNotFound({ message: 'The organization has no such member.' }) };
  if (!reaches(actingAs, member.role)) {
    const message = `The role of this member is above yours: only an ${member.role} can do that.`;
    return { refusal: insufficientRole({ message, required_role: member.role }) };
  }
  return { member, actingAs };
}
