import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { SsoRequired, SsoSessionConfined } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { findAccount, type Role } from '../accounts/accounts.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { noteMember } from '../scim/departures.store.js';
import { roleOfNewMember } from '../scim/group-roles.js';
import { refusalOfEntry } from '../sso/sso-barrier.js';
import {
  findInvitingOrganization,
  lockUserAndInviter,
  redeemInvite,
  type InviteKey,
  type Redemption,
} from '../../tenancy/organizations/invites.store.js';
import { updateRole } from '../../tenancy/organizations/members.store.js';
import { recordJoined } from '../../tenancy/organizations/record-joined.js';
import { mailAboutOwner, type SecurityMailParts } from '../security/security-mails.js';
import { rescopeSession, tokenPair, type SessionState } from '../sessions/token-pair.js';
import { recordEvent } from '../../messages/webhooks/record-event.js';

export type JoinOutcome =
  | { readonly kind: 'joined'; readonly membership: Schemas['AcceptInviteResponse'] }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'refused'; readonly refusal: SsoRequired | SsoSessionConfined }
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
  const joined = await sql.begin(
    async (transaction): Promise<SessionState | Exclude<JoinOutcome, { kind: 'joined' }>> => {
      await lockUserAndInviter(transaction, userId, invite);
      const orgId = await findInvitingOrganization(transaction, invite, email);
      const refusal = orgId === null ? null : await refusalOfEntry(transaction, { userId, orgId, sessionId });
      if (refusal !== null) return { kind: 'refused', refusal };
      const redeemed = await redeemAndRecord(transaction, invite, { userId, email }, { context, now }, dependencies);
      if (redeemed.kind !== 'joined') return redeemed;
      const account = await findAccount(transaction, userId, redeemed.orgId, sessionId);
      return account === null
        ? { kind: 'invalid' }
        : rescopeSession(transaction, sessionId, account, context, dependencies);
    },
  );
  if ('kind' in joined) return joined;
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
  const { now } = origin;
  const redeemed = await redeemInvite(sql, invite, user, now);
  if (redeemed.kind !== 'joined') return redeemed;
  const { orgId, orgName: organizationName, inviteId } = redeemed;
  const { userId } = user;
  const role = await settleRole(sql, orgId, redeemed.role, user, now);
  await noteMember(sql, orgId, user);
  const data = { invite_id: inviteId, user_id: userId };
  await recordEvent(sql, { type: 'invite.accepted', orgId, subject: `member ${userId}`, data }, now);
  await recordJoined(sql, { orgId, userId, role, actor: { userId, serviceTokenId: null } }, origin);
  if (role === 'owner') await mailAboutOwner(sql, { orgId, userId, organizationName }, origin, parts);
  return { ...redeemed, role };
}

/**
 * Gives a new member the role of the groups of the identity provider. An invite as owner is an owner's decision, and
 * stays.
 */
async function settleRole(
  sql: Sql,
  orgId: string,
  invited: Role,
  user: { readonly userId: string; readonly email: string },
  now: Date,
): Promise<Role> {
  const role = invited === 'owner' ? null : await roleOfNewMember(sql, orgId, user);
  if (role === null || role === invited) return invited;
  await updateRole(sql, orgId, user.userId, role, now);
  return role;
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
