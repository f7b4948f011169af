import type {
  TransferOrganizationHandler,
  TransferOrganizationReply,
} from '../../../../generated/platform/operations.js';
import { memberNotFound } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { refusalOfOldSession } from '../../identity/mfa/fresh-proof.js';
import { refusalOfRecoveryOwner } from '../../identity/sso/recovery-owner.js';
import { changeRole } from './change-role.js';
import { endInvitesOf } from './end-invites.js';
import { ownerRequired } from './member-to-manage.js';
import { findMember, isActive, lockMembers, memberOf } from './members.store.js';

/** Makes a member an owner and the caller, who must be an owner, an admin. */
export const transferOrganization: TransferOrganizationHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, mails } = dependencies;
  const now = clock.now();
  const { org_id: orgId, user_id: userId } = principal;
  const stale = await refusalOfOldSession(sql, principal, now, 'organization');
  if (stale !== null) return stale;
  const reply = await sql.begin(async (transaction): Promise<TransferOrganizationReply> => {
    await lockMembers(transaction, orgId, [userId, body.user_id]);
    const caller = await findMember(transaction, orgId, userId);
    if (caller?.role !== 'owner') return ownerRequired(caller?.role ?? null);
    const next = await findMember(transaction, orgId, body.user_id);
    if (next === null || next.user_id === userId || !(await isActive(transaction, next.user_id))) {
      return memberNotFound({ message: 'The organization has no such other member, or the account is disabled.' });
    }
    const needed = await refusalOfRecoveryOwner(transaction, orgId, userId);
    if (needed !== null) return needed;
    const change = { principal, context, now, cause: ', by transfer of the organization' };
    // The new owner comes first: the mail about that goes to the caller too, as to all other owners.
    const newOwner = next.role === 'owner' ? next : await changeRole(transaction, next, 'owner', change, dependencies);
    const formerOwner = await changeRole(transaction, caller, 'admin', change, dependencies);
    await endInvitesOf(transaction, { inviterId: userId, userId }, context, now);
    return { status: 200, body: { new_owner: memberOf(newOwner), former_owner: memberOf(formerOwner) } };
  });
  mails.wake();
  return reply;
};
