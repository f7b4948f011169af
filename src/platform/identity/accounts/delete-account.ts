import type {
  DeleteAccountHandler,
  DeleteAccountReply,
  DeleteUserHandler,
  DeleteUserReply,
} from '../../../../generated/platform/operations.js';
import { ownAccount, userNotFound } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { acceptProof, provePassword } from '../auth/password-proof.js';
import { findAccount } from './accounts.store.js';
import { eraseAccount } from './erase-account.js';
import { lockBySuperuser, ordinaryUser } from './superusers.js';

/** Deletes the account of the caller. */
export const deleteAccount: DeleteAccountHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock } = dependencies;
  const proof = await provePassword({ principal, context }, body.current_password, dependencies);
  if ('refusal' in proof) return proof.refusal;
  return sql.begin(async (transaction): Promise<DeleteAccountReply> => {
    const now = clock.now();
    const refusal = await acceptProof(transaction, proof, now);
    if (refusal !== null) return refusal;
    const { userId: id, email } = proof;
    const needed = await eraseAccount(transaction, { id, email }, { operatorId: id, context, now });
    return needed ?? { status: 200, body: { message: 'Your account has been deleted.' } };
  });
};

/** Deletes an account of the installation. */
export const deleteUser: DeleteUserHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) =>
  sql.begin(async (transaction): Promise<DeleteUserReply> => {
    const { user_id: operatorId } = principal;
    if (!(await lockBySuperuser(transaction, operatorId, params.user_id))) return ordinaryUser();
    const user = await findAccount(transaction, params.user_id, null);
    if (user === null) return userNotFound({ message: 'The installation has no such account.' });
    if (user.id === operatorId) {
      return ownAccount({ message: 'Delete your own account on its page, with your password.' });
    }
    return (await eraseAccount(transaction, user, { operatorId, context, now: clock.now() })) ?? { status: 204 };
  });
