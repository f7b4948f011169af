import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { Role } from '../../identity/accounts/accounts.store.js';
import { mailAboutOwner, type SecurityMailParts } from '../../identity/security/security-mails.js';
import { recordAudit, type AuditContext } from '../audit/audit.store.js';
import { updateRole, type MemberRow } from './members.store.js';

export interface RoleChange {
  /** Who changes it. */
  readonly principal: Schemas['MemberPrincipal'];
  readonly context: AuditContext;
  readonly now: Date;
  /** Added to the note of the audit record. */
  readonly cause?: string;
}

/**
 * Gives a member another role, records that, and mails the other owners about a new one. Call it under the lock of
 * `lockMembers`, and wake the mails afterwards.
 */
export async function changeRole(
  sql: Sql,
  member: MemberRow,
  role: Role,
  { principal, context, now, cause = '' }: RoleChange,
  parts: SecurityMailParts,
): Promise<MemberRow> {
  const { org_id: orgId, org_name: organizationName, user_id: userId } = principal;
  await updateRole(sql, orgId, member.user_id, role, now);
  await recordAudit(sql, context, now, {
    action: 'MEMBER_ROLE_CHANGED',
    resourceKind: 'MEMBERSHIP',
    resourceId: member.user_id,
    orgId,
    userId,
    note: `${member.role} to ${role}${cause}`,
  });
  if (role === 'owner') {
    await mailAboutOwner(sql, { orgId, userId: member.user_id, organizationName }, { context, now }, parts);
  }
  return { ...member, role };
}
