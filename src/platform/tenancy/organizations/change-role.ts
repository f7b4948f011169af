import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { Role } from '../../identity/accounts/accounts.store.js';
import { mailAboutOwner, type SecurityMailParts } from '../../identity/security/security-mails.js';
import { recordAudit, type AuditContext, type AuditRecord } from '../audit/audit.store.js';
import { updateRole, type MemberRow } from './members.store.js';

export interface RoleChange {
  /** Who changes it. */
  readonly principal: Schemas['MemberPrincipal'];
  readonly context: AuditContext;
  readonly now: Date;
  /** Added to the note of the audit record. */
  readonly cause?: string;
}

/** Gives a member another role, and records that. Call it under the lock of `lockMembers`. */
export async function storeRole(
  sql: Sql,
  { orgId, userId, role: former }: { readonly orgId: string; readonly userId: string; readonly role: Role },
  role: Role,
  {
    actor,
    context,
    now,
    cause = '',
  }: Pick<RoleChange, 'context' | 'now' | 'cause'> & { readonly actor: Pick<AuditRecord, 'userId' | 'serviceTokenId'> },
): Promise<void> {
  await updateRole(sql, orgId, userId, role, now);
  await recordAudit(sql, context, now, {
    action: 'MEMBER_ROLE_CHANGED',
    resourceKind: 'MEMBERSHIP',
    resourceId: userId,
    orgId,
    ...actor,
    note: `${former} to ${role}${cause}`,
  });
}

/**
 * Gives a member another role, records that, and mails the other owners about a new one. Call it under the lock of
 * `lockMembers`, and wake the mails afterwards.
 */
export async function changeRole(
  sql: Sql,
  member: MemberRow,
  role: Role,
  { principal, ...change }: RoleChange,
  parts: SecurityMailParts,
): Promise<MemberRow> {
  const { org_id: orgId, org_name: organizationName, user_id: userId } = principal;
  const { user_id: memberId } = member;
  await storeRole(sql, { orgId, userId: memberId, role: member.role }, role, { actor: { userId }, ...change });
  if (role === 'owner') await mailAboutOwner(sql, { orgId, userId: memberId, organizationName }, change, parts);
  return { ...member, role };
}
