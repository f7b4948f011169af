import type { ResetMemberMfaHandler, ResetMemberMfaReply } from '../../../../generated/platform/operations.js';
import { mfaNotResettable } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { refusalOfOldSession } from '../../identity/mfa/fresh-proof.js';
import { mailAboutMfa } from '../../identity/mfa/mfa-changes.js';
import { resetMfa } from '../../identity/mfa/reset-mfa.js';
import { selectMethods } from '../../identity/mfa/second-factors.store.js';
import { memberToManage, ownerRequired } from './member-to-manage.js';
import { selectResettable } from './resettable.store.js';

/** Removes the second factor of a member who has lost it. */
export const resetMemberMfa: ResetMemberMfaHandler<PlatformDependencies> = async (
  { params, principal, context },
  dependencies,
) => {
  const { sql, clock, mails } = dependencies;
  const { user_id: operatorId } = principal;
  const now = clock.now();
  const reply = await sql.begin(async (transaction): Promise<ResetMemberMfaReply> => {
    const managed = await memberToManage(transaction, principal, params.user_id, 'as an admin');
    if ('refusal' in managed) return managed.refusal;
    const { member, actingAs } = managed;
    if (actingAs !== 'owner') return ownerRequired(actingAs);
    const stale = await refusalOfOldSession(transaction, principal, now, 'organization');
    if (stale !== null) return stale;
    if (member.user_id === operatorId) {
      return mfaNotResettable({ message: 'Change your own second factor on your account.' });
    }
    if ((await selectMethods(transaction, member.user_id)).length === 0) {
      return mfaNotResettable({ message: 'The member has no second factor.' });
    }
    if (!(await selectResettable(transaction, [member.user_id], principal)).has(member.user_id)) {
      const message =
        'The account is that of a superuser, or also belongs to organizations of others. Ask the operator.';
      return mfaNotResettable({ message });
    }
    await resetMfa(transaction, member.user_id, { operatorId, context, now });
    await mailAboutMfa(transaction, member, 'reset', { context, now }, dependencies);
    return { status: 204 };
  });
  mails.wake();
  return reply;
};
