import type { OnboardHandler } from '../../../../generated/platform/operations.js';
import { alreadyMember, emailNotVerified, invalidInvite } from '../../../../generated/problems.js';
import { findAccount, lockUser } from '../accounts/accounts.store.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { createOrganization } from '../../tenancy/organizations/organizations.store.js';
import { refusalOfNewOrganization } from '../sso/sso-barrier.js';
import { rescopeSession } from '../sessions/token-pair.js';
import { hashToken } from '../tokens/token-hash.js';
import { joinByInvite, membershipOf } from './join-by-invite.js';

export const onboard: OnboardHandler<PlatformDependencies> = async (request, dependencies) => {
  const { body, principal, context } = request;
  if (!principal.is_verified) return emailNotVerified({ message: 'Verify your e-mail address first.' });
  if (body.action === 'join_org') {
    const invite = { tokenHash: hashToken(body.invite_code) };
    const joined = await joinByInvite(invite, principal, context, dependencies);
    if (joined.kind === 'refused') return joined.refusal;
    if (joined.kind === 'invalid') return invalidInvite();
    if (joined.kind === 'already_member') return alreadyMember({ message: 'You already belong to this organization.' });
    return { status: 200, body: joined.membership };
  }

  const { sql, clock } = dependencies;
  const now = clock.now();
  const { user_id: userId, session_id: sessionId } = principal;
  const session = await sql.begin(async (transaction) => {
    // Under the user's lock, so that only one of concurrent calls finds no membership.
    await lockUser(transaction, userId);
    const [existing] = await transaction`select 1 from memberships where user_id = ${userId} limit 1`;
    if (existing !== undefined) return null;
    const refusal = await refusalOfNewOrganization(transaction, sessionId);
    if (refusal !== null) return refusal;
    const orgId = await createOrganization(transaction, { name: body.org_name.trim(), ownerId: userId }, now);
    const record = { action: 'CREATE', resourceKind: 'ORGANIZATION', resourceId: orgId, orgId, userId } as const;
    await recordAudit(transaction, context, now, record);
    const account = await findAccount(transaction, userId, orgId, sessionId);
    return account === null ? null : rescopeSession(transaction, sessionId, account, context, dependencies);
  });
  if (session === null) return alreadyMember({ message: 'You already belong to an organization.' });
  if ('status' in session) return session;
  return { status: 200, body: await membershipOf(session, dependencies) };
};
