import type { ChangeMemberRoleHandler, ChangeMemberRoleReply } from '../../../../generated/platform/operations.js';
import { lastOwner, roleNotGrantable } from '../../../../generated/problems.js';
import { reaches } from '../../identity/accounts/permissions.js';
import { mailAboutOwner } from '../../identity/security/security-mails.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { endInvitesOf } from './end-invites.js';
import { memberToManage } from './member-to-manage.js';
import { isLastOwner, memberOf, updateRole } from './members.store.js';

export const changeMemberRole: ChangeMemberRoleHandler<PlatformDependencies> = async (
  { params, body: { role }, principal, context },
  dependencies,
) => {
  const { sql, clock, mails } = dependencies;
  const now = clock.now();
  const { org_id: orgId, org_name: organizationName } = principal;
  const reply = await sql.begin(async (transaction): Promise<ChangeMemberRoleReply> => {
    const managed = await memberToManage(transaction, principal, params.user_id, 'as an admin');
    if ('refusal' in managed) return managed.refusal;
    const { member, actingAs } = managed;
    if (!reaches(actingAs, role)) {
      return roleNotGrantable({ message: `You can grant roles up to your own role, ${actingAs}.` });
    }
    if (member.role === role) return { status: 200, body: memberOf(member) };
    if (await isLastOwner(transaction, orgId, member)) {
      return lastOwner({ message: 'This is the last owner. Make another member an owner first.' });
    }
    await updateRole(transaction, orgId, member.user_id, role, now);
    await recordAudit(transaction, context, now, {
      action: 'MEMBER_ROLE_CHANGED',
      resourceKind: 'MEMBERSHIP',
      resourceId: member.user_id,
      orgId,
      userId: principal.user_id,
      note: `${member.role} to ${role}`,
    });
    await endInvitesOf(transaction, { inviterId: member.user_id, userId: principal.user_id }, context, now);
    if (role === 'owner') {
      const owner = { orgId, userId: member.user_id, organizationName };
      await mailAboutOwner(transaction, owner, { context, now }, dependencies);
    }
    return { status: 200, body: memberOf({ ...member, role }) };
  });
  mails.wake();
  return reply;
};
