import type { RequestContext } from '@plumbline/contract/contract-types';
import type {
  DeleteAccountHandler,
  DeleteAccountReply,
  DeleteUserHandler,
  DeleteUserReply,
} from '../../../../generated/platform/operations.js';
import { ownAccount, userNotFound } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { releaseLeavers } from '../../tenancy/teams/release-leavers.js';
import { proveCaller } from '../mfa/caller-proof.js';
import { refusalOfOldSession } from '../mfa/fresh-proof.js';
import { findAccount } from './accounts.store.js';
import { eraseAccount } from './erase-account.js';
import { lockBySuperuser, ordinaryUser } from './superusers.js';

/** Deletes the account of the caller. */
export const deleteAccount: DeleteAccountHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock } = dependencies;
  const proof = await proveCaller({ principal, context }, body.current_password, 'account', dependencies);
  if ('refusal' in proof) return proof.refusal;
  const { user_id: id, email } = principal;
  const outcome = await sql.begin(async (transaction): Promise<Erasure<DeleteAccountReply>> => {
    const now = clock.now();
    const refusal = await proof.accept(transaction, now);
    if (refusal !== null) return { refusal };
    return eraseAccount(transaction, { id, email }, { operatorId: id, context, now });
  });
  if ('refusal' in outcome) return outcome.refusal;
  await leaveTeams(outcome.left, { userId: id, context }, dependencies);
  return { status: 200, body: { message: 'Your account has been deleted.' } };
};

/** Deletes an account of the installation. */
export const deleteUser: DeleteUserHandler<PlatformDependencies> = async (
  { params, principal, context },
  dependencies,
) => {
  const { sql, clock } = dependencies;
  const { user_id: operatorId } = principal;
  const outcome = await sql.begin(async (transaction): Promise<Erasure<DeleteUserReply>> => {
    if (!(await lockBySuperuser(transaction, principal, params.user_id))) return { refusal: ordinaryUser() };
    const now = clock.now();
    const stale = await refusalOfOldSession(transaction, principal, now, 'account');
    if (stale !== null) return { refusal: stale };
    const user = await findAccount(transaction, params.user_id, null, null);
    if (user === null) return { refusal: userNotFound({ message: 'The installation has no such account.' }) };
    if (user.id === operatorId) {
      return { refusal: ownAccount({ message: 'Delete your own account on its page.' }) };
    }
    return eraseAccount(transaction, user, { operatorId, context, now });
  });
  if ('refusal' in outcome) return outcome.refusal;
  await leaveTeams(outcome.left, { userId: operatorId, context }, dependencies);
  return { status: 204 };
};

/** The organizations that a deleted user has left, or the reply that refuses the deletion. */
type Erasure<Reply> = { readonly left: readonly string[] } | { readonly refusal: Reply };

async function leaveTeams(
  left: readonly string[],
  { userId, context }: { readonly userId: string; readonly context: RequestContext },
  dependencies: PlatformDependencies,
): Promise<void> {
  for (const orgId of left) {
    await releaseLeavers({ principal: { org_id: orgId, user_id: userId }, context }, dependencies);
  }
}
