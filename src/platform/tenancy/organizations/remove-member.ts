import type { RemoveMemberHandler, RemoveMemberReply } from '../../../../generated/platform/operations.js';
import { lastOwner } from '../../../../generated/problems.js';
import { reaches } from '../../identity/accounts/permissions.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { revokeLockedToken } from '../../identity/service-tokens/service-tokens.js';
import { lockUsableTokensOf, serviceTokenOf } from '../../identity/service-tokens/service-tokens.store.js';
import { managerOf } from '../../identity/service-tokens/token-manager.js';
import { recordEvent } from '../../messages/webhooks/record-event.js';
import { selectWebhooksOf, webhookOf } from '../../messages/webhooks/webhooks.store.js';
import { endInvitesOf } from './end-invites.js';
import { adminRequired, memberToManage } from './member-to-manage.js';
import { deleteMembership, isLastOwner } from './members.store.js';

/**
 * Ends a membership. Members of every role can end their own. Access tokens stop working immediately, because every
 * request reads the membership; sessions continue without an organization from their next refresh. The pending invites
 * of the member end. Service tokens and webhooks belong to the organization and stay, unless the caller asks otherwise;
 * the reply names those that the member created.
 */
export const removeMember: RemoveMemberHandler<PlatformDependencies> = async (
  { params, query, principal, context },
  { sql, clock },
) => {
  const now = clock.now();
  const orgId = principal.org_id;
  return sql.begin(async (transaction): Promise<RemoveMemberReply> => {
    const managed = await memberToManage(transaction, principal, params.user_id, 'with any role');
    if ('refusal' in managed) return managed.refusal;
    const { member, actingAs } = managed;
    const revokes = query.revoke_service_tokens;
    if (revokes && !reaches(actingAs, 'admin')) return adminRequired(actingAs);
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
    await endInvitesOf(transaction, { inviterId: member.user_id, userId: principal.user_id }, context, now);
    const tokens = await lockUsableTokensOf(transaction, orgId, member.user_id, now);
    for (const { id } of revokes ? tokens : []) {
      await revokeLockedToken(transaction, managerOf(principal, context), id, now);
    }
    const webhooks = await selectWebhooksOf(transaction, orgId, member.user_id, now);
    const subject = `member ${member.user_id}`;
    const data = { user_id: member.user_id, removed_by: principal.user_id };
    await recordEvent(transaction, { type: 'member.removed', orgId, subject, data }, now);
    const revoked = revokes ? { overlap_ends_at: null, revoked_at: now } : {};
    return {
      status: 200,
      body: {
        service_tokens: tokens.map((row) => serviceTokenOf({ ...row, ...revoked }, now)),
        webhooks: webhooks.map(webhookOf),
      },
    };
  });
};
