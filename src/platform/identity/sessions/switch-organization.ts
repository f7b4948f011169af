import type { SwitchOrganizationHandler, SwitchOrganizationReply } from '../../../../generated/platform/operations.js';
import { notAMember } from '../../../../generated/problems.js';
import { findAccount, lockUser, userOf } from '../accounts/accounts.store.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { refusalOfEntry } from '../sso/sso-barrier.js';
import { rescopeSession, tokenPair, type SessionState } from './token-pair.js';

/** Moves the caller's session to another organization. */
export const switchOrganization: SwitchOrganizationHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock } = dependencies;
  const { user_id: userId, session_id: sessionId } = principal;
  const switched = await sql.begin(async (transaction): Promise<SessionState | SwitchOrganizationReply> => {
    await lockUser(transaction, userId);
    const account = await findAccount(transaction, userId, body.org_id, sessionId);
    if (account === null || account.org_id === null) {
      const barrier = { userId, orgId: body.org_id, sessionId };
      const refusal = await refusalOfEntry(transaction, barrier);
      return refusal ?? notAMember({ message: 'You do not belong to this organization.' });
    }
    const session = await rescopeSession(transaction, sessionId, account, context, dependencies);
    await recordAudit(transaction, context, clock.now(), {
      action: 'LOGIN',
      resourceKind: 'SESSION',
      resourceId: sessionId,
      orgId: account.org_id,
      userId,
      note: 'Switched organization',
    });
    return session;
  });
  if ('status' in switched) return switched;
  const tokens = await tokenPair(switched, dependencies);
  return { status: 200, body: { ...tokens, needs_onboarding: false, user: userOf(switched.account) } };
};
