import type { RequestContext } from '@plumbline/contract/contract-types';
import type { RegisterReply } from '../../../../generated/platform/operations.js';
import { emailAlreadyRegistered, invalidInvite } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { redeemAndRecord } from '../onboarding/join-by-invite.js';
import { lockRedeemableInvite, lockUserAndInviter, type InviteKey } from '../../tenancy/organizations/invites.store.js';
import { createAccount, recordRegistration, type NewAccount } from './new-account.js';

/**
 * Stores an account that joins the inviting organization at once. The invite was sent to its address, so the address is
 * verified, and no mail follows.
 */
export async function registerByInvite(
  account: NewAccount,
  invite: InviteKey,
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<RegisterReply> {
  const { email, registration } = account;
  const now = registration.at;
  return dependencies.sql.begin(async (transaction): Promise<RegisterReply> => {
    await lockUserAndInviter(transaction, null, invite);
    if (!(await lockRedeemableInvite(transaction, invite, email, now))) return invalidInvite();
    const userId = await createAccount(transaction, account, context);
    if (userId === null) return emailAlreadyRegistered();
    const joined = await redeemAndRecord(transaction, invite, { userId, email }, { context, now }, dependencies);
    if (joined.kind !== 'joined') throw new Error('a locked invite could not be redeemed');
    const { orgId, orgName } = joined;
    await recordRegistration(transaction, { userId, orgId }, context, now);
    const message = `Your account has been created, and you have joined ${orgName}. Log in.`;
    return { status: 201, body: { message, user_id: userId, org_id: orgId } };
  });
}
