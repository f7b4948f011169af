import type { RemoveMemberHandler, RemoveMemberReply } from '../../../../generated/platform/operations.js';
import { authorizeMember } from '../../identity/accounts/bearer-security.js';
import { reaches } from '../../identity/accounts/permissions.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { refusalOfOldSession } from '../../identity/mfa/fresh-proof.js';
import { revokeLockedToken } from '../../identity/service-tokens/service-tokens.js';
import { lockUsableTokensOf, serviceTokenOf } from '../../identity/service-tokens/service-tokens.store.js';
import { noteDeparture } from '../../identity/scim/departures.store.js';
import { refusalOfEntry } from '../../identity/sso/sso-barrier.js';
import { selectWebhooksOf, webhookOf } from '../../messages/webhooks/webhooks.store.js';
import { integrationOf, selectIntegrationsOf } from '../../sources/integrations/integrations.store.js';
import { releaseLeavers } from '../teams/release-leavers.js';
import { deactivateWebhooks } from './deactivate-webhooks.js';
import { endMembership } from './end-membership.js';
import { adminRequired, memberToManage } from './member-to-manage.js';
import { refusalOfNeededOwner } from './needed-owner.js';

/**
 * Ends a membership. Members of every role can end their own, also in a session that the organization does not let in:
 * otherwise it could keep those without the second factor or the SSO that it demands. Access tokens stop working
 * immediately, because every request reads the membership; sessions continue without an organization from their next
 * refresh. The pending invites of the member end. Service tokens, webhooks and integrations belong to the organization and
 * stay, unless the caller asks otherwise for the first two; the reply names those that the member created. Whom somebody
 * else has removed does not join again by SSO, as after a removal by SCIM.
 */
export const removeMember: RemoveMemberHandler<PlatformDependencies> = async (
  { params, query, principal, context },
  dependencies,
) => {
  const { sql, clock } = dependencies;
  const now = clock.now();
  const orgId = params.org_id.toLowerCase();
  const { user_id: userId, session_id: sessionId } = principal;
  const { revoke_service_tokens: revokes, deactivate_webhooks: deactivates } = query;
  const inside = authorizeMember(principal, 'viewer', { org_id: orgId });
  const leavesOnly = params.user_id.toLowerCase() === userId && !revokes && !deactivates;
  if ('refusal' in inside && !leavesOnly) return inside.refusal;
  const reply = await sql.begin(async (transaction): Promise<RemoveMemberReply> => {
    if ('refusal' in inside) {
      const barrier = await refusalOfEntry(transaction, { userId, orgId, sessionId });
      if (barrier?.body.type === '/problems/sso-session-confined') return inside.refusal;
    }
    const managed = await memberToManage(transaction, { ...principal, org_id: orgId }, params.user_id, 'with any role');
    if ('refusal' in managed) return managed.refusal;
    const { member, actingAs } = managed;
    if ((revokes || deactivates) && !reaches(actingAs, 'admin')) return adminRequired(actingAs);
    const endsOwner = member.role === 'owner' && member.user_id !== userId;
    const stale = endsOwner ? await refusalOfOldSession(transaction, principal, now, 'organization') : null;
    if (stale !== null) return stale;
    const needed = await refusalOfNeededOwner(transaction, orgId, member);
    if (needed !== null) return needed;
    const ending = { orgId, actor: { userId, serviceTokenId: null }, context, now };
    if ('refusal' in inside) {
      await endMembership(transaction, member, ending);
      return { status: 200, body: { service_tokens: [], webhooks: [], integrations: [] } };
    }
    // These come first, so that a webhook of the member does not get the event of the removal, which counts what remains.
    const created = await selectWebhooksOf(transaction, orgId, member.user_id, now);
    const by = { orgId, userId };
    const webhooks = deactivates ? await deactivateWebhooks(transaction, created, by, context, now) : created;
    const tokens = await lockUsableTokensOf(transaction, orgId, member.user_id, now);
    for (const { id } of revokes ? tokens : []) {
      await revokeLockedToken(transaction, { ...by, context }, id, now);
    }
    const integrations = await selectIntegrationsOf(transaction, orgId, member.user_id);
    await endMembership(transaction, member, ending);
    if (member.user_id !== userId) {
      await noteDeparture(transaction, orgId, { userId: member.user_id, email: member.email });
    }
    const changed = { creator_is_admin: false, ...(revokes && { overlap_ends_at: null, revoked_at: now }) };
    return {
      status: 200,
      body: {
        service_tokens: tokens.map((row) => serviceTokenOf({ ...row, ...changed }, now)),
        webhooks: webhooks.map(webhookOf),
        integrations: integrations.map(integrationOf),
      },
    };
  });
  const released = { principal: { org_id: orgId, user_id: userId }, context };
  if (reply.status === 200) await releaseLeavers(released, dependencies);
  return reply;
};
