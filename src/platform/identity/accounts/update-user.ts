import type { UpdateUserHandler, UpdateUserReply } from '../../../../generated/platform/operations.js';
import { ownAccount, userNotFound } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { refusalOfOldSession } from '../mfa/fresh-proof.js';
import { lockBySuperuser, ordinaryUser } from './superusers.js';
import { setActivity } from './set-activity.js';
import { accountOf, findUser } from './users.store.js';

/** Disables or enables an account of the installation. */
export const updateUser: UpdateUserHandler<PlatformDependencies> = async (
  { params, body: { is_active: isActive }, principal, context },
  { sql, clock },
) => {
  const { user_id: userId } = principal;
  return sql.begin(async (transaction): Promise<UpdateUserReply> => {
    if (!(await lockBySuperuser(transaction, principal, params.user_id))) return ordinaryUser();
    const now = clock.now();
    const stale = await refusalOfOldSession(transaction, principal, now, 'account');
    if (stale !== null) return stale;
    const user = await findUser(transaction, params.user_id);
    if (user === null) return userNotFound({ message: 'The installation has no such account.' });
    if (user.id === userId && !isActive) {
      return ownAccount({ message: 'You cannot disable your own account. Ask another superuser.' });
    }
    await setActivity(transaction, user.id, isActive, { operatorId: userId, context, now });
    return { status: 200, body: accountOf({ ...user, is_active: isActive }) };
  });
};
