import type { RequestContext } from '../../../generated/contract.js';
import type { Schemas } from '../../../generated/platform/operations.js';
import { findAccount } from '../accounts/accounts.store.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { lockUserAndInviter, redeemInvite } from '../organizations/invites.store.js';
import { rescopeSession, tokenPair, type SessionState } from '../sessions/token-pair.js';
import { hashToken } from '../tokens/token-hash.js';
import { recordEvent } from '../webhooks/record-event.js';

export type JoinOutcome =
  | { readonly kind: 'joined'; readonly membership: Schemas['AcceptInviteResponse'] }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'already_member' };

/**
 * Makes the caller a member of the inviting organization and moves the caller's session there. The invite is bound to
 * an e-mail and is invalid for other accounts. Of concurrent calls, one succeeds.
 */
export async function joinByInvite(
  token: string,
  caller: Schemas['AccountPrincipal'],
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<JoinOutcome> {
  const { sql, clock } = dependencies;
  const now = clock.now();
  const { user_id: userId, session_id: sessionId, email } = caller;
  const tokenHash = hashToken(token);
  const joined = await sql.begin(async (transaction): Promise<SessionState | 'invalid' | 'already_member'> => {
    await lockUserAndInviter(transaction, userId, tokenHash);
    const redeemed = await redeemInvite(transaction, tokenHash, { userId, email }, now);
    if (redeemed.kind !== 'joined') return redeemed.kind;
    const { orgId, role, inviteId } = redeemed;
    await recordAudit(transaction, context, now, {
      action: 'MEMBER_JOINED',
      resourceKind: 'MEMBERSHIP',
      resourceId: userId,
      orgId,
      userId,
    });
    const subject = `member ${userId}`;
    const accepted = {
      type: 'invite.accepted',
      orgId,
      subject,
      data: { invite_id: inviteId, user_id: userId },
    } as const;
    await recordEvent(transaction, accepted, now);
    const member = { type: 'member.joined', orgId, subject, data: { user_id: userId, role } } as const;
    await recordEvent(transaction, member, now);
    const account = await findAccount(transaction, userId, orgId);
    return account === null ? 'invalid' : rescopeSession(transaction, sessionId, account, context, dependencies);
  });
  if (joined === 'invalid' || joined === 'already_member') return { kind: joined };
  return { kind: 'joined', membership: await membershipOf(joined, dependencies) };
}

/** The contract's reply to a caller who has just joined an organization. */
export async function membershipOf(
  session: SessionState,
  dependencies: PlatformDependencies,
): Promise<Schemas['AcceptInviteResponse']> {
  const { org_id: orgId, org_name: orgName, role } = session.account;
  if (orgId === null || orgName === null || role === null) throw new Error('the new member has no membership');
  return { tokens: await tokenPair(session, dependencies), org_id: orgId, org_name: orgName, role };
}
