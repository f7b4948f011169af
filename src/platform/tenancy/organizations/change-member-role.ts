import type { ChangeMemberRoleHandler, ChangeMemberRoleReply } from '../../../../generated/platform/operations.js';
import { roleNotGrantable } from '../../../../generated/problems.js';
import { reaches } from '../../identity/accounts/permissions.js';
import { refusalOfOldSession } from '../../identity/mfa/fresh-proof.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { changeRole } from './change-role.js';
import { endInvitesOf } from './end-invites.js';
import { memberToManage } from './member-to-manage.js';
import { memberOf } from './members.store.js';
import { refusalOfNeededOwner } from './needed-owner.js';

export const changeMemberRole: ChangeMemberRoleHandler<PlatformDependencies> = async (
  { params, body: { role }, principal, context },
  dependencies,
) => {
  const { sql, clock, mails } = dependencies;
  const now = clock.now();
  const { org_id: orgId } = principal;
  const reply = await sql.begin(async (transaction): Promise<ChangeMemberRoleReply> => {
    const managed = await memberToManage(transaction, principal, params.user_id, 'as an admin');
    if ('refusal' in managed) return managed.refusal;
    const { member, actingAs } = managed;
    if (!reaches(actingAs, role)) {
      return roleNotGrantable({ message: `You can grant roles up to your own role, ${actingAs}.` });
    }
    const concernsOwner = role === 'owner' || member.role === 'owner';
    const stale = concernsOwner ? await refusalOfOldSession(transaction, principal, now, 'organization') : null;
    if (stale !== null) return stale;
    if (member.role === role) return { status: 200, body: memberOf(member) };
    const needed = await refusalOfNeededOwner(transaction, orgId, member);
    if (needed !== null) return needed;
    const changed = await changeRole(transaction, member, role, { principal, context, now }, dependencies);
    await endInvitesOf(transaction, { inviterId: member.user_id, userId: principal.user_id }, context, now);
    return { status: 200, body: memberOf(changed) };
  });
  mails.wake();
  return reply;
};
