import type { RevokeInviteHandler, RevokeInviteReply } from '../../../../generated/platform/operations.js';
import { insufficientRole, inviteNotFound } from '../../../../generated/problems.js';
import { reaches } from '../../identity/accounts/permissions.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { endInvite, lockPendingInvite } from './invites.store.js';
import { adminRequired } from './member-to-manage.js';
import { actingRole, lockOrganization } from './members.store.js';

export const revokeInvite: RevokeInviteHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) => {
  const now = clock.now();
  const { org_id: orgId, user_id: userId } = principal;
  return sql.begin(async (transaction): Promise<RevokeInviteReply> => {
    // Prevents a change of the caller's role between the check and the update. Locking the caller instead could
    // deadlock: accepting the invite locks the invite first and then needs the inviter's key.
    await lockOrganization(transaction, orgId);
    const actingAs = await actingRole(transaction, principal);
    if (actingAs === null || !reaches(actingAs, 'admin')) return adminRequired(actingAs);
    const role = await lockPendingInvite(transaction, orgId, params.invite_id, now);
    if (role === null) return inviteNotFound({ message: 'The organization has no such pending invite.' });
    if (!reaches(actingAs, role)) {
      const message = `The invite has a role above yours: only an ${role} can revoke it.`;
      return insufficientRole({ message, required_role: role });
    }
    await endInvite(transaction, orgId, params.invite_id, now);
    const record = { resourceKind: 'INVITE', resourceId: params.invite_id.toLowerCase(), orgId, userId } as const;
    await recordAudit(transaction, context, now, { action: 'INVITE_REVOKED', ...record });
    return { status: 204 };
  });
};
