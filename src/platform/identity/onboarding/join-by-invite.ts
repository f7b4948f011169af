import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { findAccount } from '../accounts/accounts.store.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import {
  lockUserAndInviter,
  redeemInvite,
  type InviteKey,
  type Redemption,
} from '../../tenancy/organizations/invites.store.js';
import { mailAboutOwner, type SecurityMailParts } from '../security/security-mails.js';
import { rescopeSession, tokenPair, type SessionState } from '../sessions/token-pair.js';
import { recordEvent } from '../../messages/webhooks/record-event.js';

export type JoinOutcome =
  | { readonly kind: 'joined'; readonly membership: Schemas['AcceptInviteResponse'] }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'already_member' };

/**
 * Makes the caller a member of the inviting organization and moves the caller's session there. The invite is bound to
 * an e-mail and is invalid for other accounts. Of concurrent calls, one succeeds.
 */
export async function joinByInvite(
  invite: InviteKey,
  caller: Schemas['AccountPrincipal'],
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<JoinOutcome> {
  const { sql, clock } = dependencies;
  const now = clock.now();
  const { user_id: userId, session_id: sessionId, email } = caller;
  const joined = await sql.begin(async (transaction): Promise<SessionState | 'invalid' | 'already_member'> => {
    await lockUserAndInviter(transaction, userId, invite);
    const redeemed = await redeemAndRecord(transaction, invite, { userId, email }, { context, now }, dependencies);
    if (redeemed.kind !== 'joined') return redeemed.kind;
    const account = await findAccount(transaction, userId, redeemed.orgId);
    return account === null ? 'invalid' : rescopeSession(transaction, sessionId, account, context, dependencies);
  });
  if (joined === 'invalid' || joined === 'already_member') return { kind: joined };
  return { kind: 'joined', membership: await membershipOf(joined, dependencies) };
}

/** Redeems an invite, with its audit record and events. Call it under the lock of `lockUserAndInviter`. */
export async function redeemAndRecord(
  sql: Sql,
  invite: InviteKey,
  user: { readonly userId: string; readonly email: string },
  origin: { readonly context: RequestContext; readonly now: Date },
  parts: SecurityMailParts,
): Promise<Redemption> {
  const { context, now } = origin;
  const redeemed = await redeemInvite(sql, invite, user, now);
  if (redeemed.kind !== 'joined') return redeemed;
  const { orgId, orgName: organizationName, role, inviteId } = redeemed;
  const { userId } = user;
  await recordAudit(sql, context, now, {
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
  await recordEvent(sql, accepted, now);
  const member = { type: 'member.joined', orgId, subject, data: { user_id: userId, role } } as const;
  await recordEvent(sql, member, now);
  if (role === 'owner') await mailAboutOwner(sql, { orgId, userId, organizationName }, origin, parts);
  return redeemed;
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
