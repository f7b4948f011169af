import type { RemoveMemberHandler, RemoveMemberReply } from '../../../generated/platform/operations.js';
import { lastOwner } from '../../../generated/problems.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { recordEvent } from '../webhooks/record-event.js';
import { memberToManage } from './member-to-manage.js';
import { deleteMembership, isLastOwner } from './members.store.js';

/**
 * Ends a membership. Members of every role can end their own. Access tokens stop working immediately, because every
 * request reads the membership; sessions continue without an organization from their next refresh.
 */
export const removeMember: RemoveMemberHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) => {
  const now = clock.now();
  const orgId = principal.org_id;
  return sql.begin(async (transaction): Promise<RemoveMemberReply> => {
    const managed = await memberToManage(transaction, principal, params.user_id, 'with any role');
    if ('refusal' in managed) return managed.refusal;
    const { member } = managed;
    if (await isLastOwner(transaction, orgId, member)) {
      return lastOwner({ message: 'This is the last owner. Make another member an owner first.' });
    }
    await deleteMembership(transaction, orgId, member.user_id);
    await recordAudit(transaction, context, now, {
      action: 'MEMBER_REMOVED',
      resourceKind: 'MEMBERSHIP',
      resourceId: member.user_id,
      orgId,
      userId: principal.user_id,
      note: member.user_id === principal.user_id ? `left, was ${member.role}` : `was ${member.role}`,
    });
    const subject = `member ${member.user_id}`;
    const data = { user_id: member.user_id, removed_by: principal.user_id };
    await recordEvent(transaction, { type: 'member.removed', orgId, subject, data }, now);
    return { status: 204 };
  });
};
