import type {
  TransferOrganizationHandler,
  TransferOrganizationReply,
} from '../../../../generated/platform/operations.js';
import { memberNotFound } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { mailAboutOwner } from '../../identity/security/security-mails.js';
import { recordAudit } from '../audit/audit.store.js';
import { endInvitesOf } from './end-invites.js';
import { ownerRequired } from './member-to-manage.js';
import { findMember, isActive, lockMembers, memberOf, updateRole, type MemberRow } from './members.store.js';
import type { Role } from '../../identity/accounts/accounts.store.js';

/** Makes a member an owner and the caller, who must be an owner, an admin. */
export const transferOrganization: TransferOrganizationHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, mails } = dependencies;
  const now = clock.now();
  const { org_id: orgId, org_name: organizationName, user_id: userId } = principal;
  const reply = await sql.begin(async (transaction): Promise<TransferOrganizationReply> => {
    await lockMembers(transaction, orgId, [userId, body.user_id]);
    const caller = await findMember(transaction, orgId, userId);
    if (caller?.role !== 'owner') return ownerRequired(caller?.role ?? null);
    const next = await findMember(transaction, orgId, body.user_id);
    if (next === null || next.user_id === userId || !(await isActive(transaction, next.user_id))) {
      return memberNotFound({ message: 'The organization has no such other member, or the account is disabled.' });
    }
    const change = async (member: MemberRow, role: Role): Promise<MemberRow> => {
      if (member.role === role) return member;
      await updateRole(transaction, orgId, member.user_id, role, now);
      await recordAudit(transaction, context, now, {
        action: 'MEMBER_ROLE_CHANGED',
        resourceKind: 'MEMBERSHIP',
        resourceId: member.user_id,
        orgId,
        userId,
        note: `${member.role} to ${role}, by transfer of the organization`,
      });
      return { ...member, role };
    };
    const newOwner = await change(next, 'owner');
    if (next.role !== 'owner') {
      const owner = { orgId, userId: next.user_id, organizationName };
      await mailAboutOwner(transaction, owner, { context, now }, dependencies); // the caller is one of the owners still
    }
    const formerOwner = await change(caller, 'admin');
    await endInvitesOf(transaction, { inviterId: userId, userId }, context, now);
    return { status: 200, body: { new_owner: memberOf(newOwner), former_owner: memberOf(formerOwner) } };
  });
  mails.wake();
  return reply;
};
