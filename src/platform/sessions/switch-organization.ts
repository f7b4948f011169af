import type { SwitchOrganizationHandler } from '../../../generated/platform/operations.js';
import { notAMember } from '../../../generated/problems.js';
import { findAccount, lockUser, userOf } from '../accounts/accounts.store.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { startSession } from './token-pair.js';

export const switchOrganization: SwitchOrganizationHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock } = dependencies;
  const switched = await sql.begin(async (transaction) => {
    await lockUser(transaction, principal.user_id);
    const account = await findAccount(transaction, principal.user_id, body.org_id);
    if (account === null || account.org_id === null) return null;
    const tokens = await startSession(transaction, account, context, dependencies);
    await recordAudit(transaction, context, clock.now(), {
      action: 'LOGIN',
      resourceKind: 'SESSION',
      orgId: account.org_id,
      userId: account.id,
      note: 'Switched organization',
    });
    return { account, tokens };
  });
  if (switched === null) return notAMember({ message: 'You do not belong to this organization.' });
  return { status: 200, body: { ...switched.tokens, needs_onboarding: false, user: userOf(switched.account) } };
};
