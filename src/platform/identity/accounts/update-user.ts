import type { UpdateUserHandler, UpdateUserReply } from '../../../../generated/platform/operations.js';
import { ownAccount, userNotFound } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import { endInvitesOf } from '../../tenancy/organizations/end-invites.js';
import { lockUsers } from './accounts.store.js';
import { ordinaryUser } from './list-users.js';
import { accountOf, findUser, storeActivity } from './users.store.js';

/** Disables or enables an account of the installation. */
export const updateUser: UpdateUserHandler<PlatformDependencies> = async (
  { params, body, principal, context },
  { sql, clock },
) => {
  const now = clock.now();
  const { user_id: callerId } = principal;
  return sql.begin(async (transaction): Promise<UpdateUserReply> => {
    await lockUsers(transaction, [callerId, params.user_id]);
    const caller = await findUser(transaction, callerId);
    // The right is read under the lock: a concurrent request may have taken it, or disabled the caller.
    if (caller?.is_superuser !== true || !caller.is_active) return ordinaryUser();
    const user = await findUser(transaction, params.user_id);
    if (user === null) return userNotFound({ message: 'The installation has no such account.' });
    if (user.id === callerId && !body.is_active) {
      return ownAccount({ message: 'You cannot disable your own account. Ask another superuser.' });
    }
    if (await storeActivity(transaction, user, body.is_active, now)) {
      await recordAccountEvent(transaction, context, now, {
        action: body.is_active ? 'USER_ENABLED' : 'USER_DISABLED',
        resourceKind: 'USER',
        resourceId: user.id,
        userId: callerId,
        memberId: user.id,
      });
      await endInvitesOf(transaction, { inviterId: user.id, userId: callerId }, context, now);
    }
    return { status: 200, body: accountOf({ ...user, is_active: body.is_active }) };
  });
};
