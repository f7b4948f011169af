import type { RevokeInviteHandler } from '../../../generated/platform/operations.js';
import { inviteNotFound } from '../../../generated/problems.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { endInvite } from './invites.store.js';

export const revokeInvite: RevokeInviteHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) => {
  const now = clock.now();
  const { org_id: orgId, user_id: userId } = principal;
  const revoked = await sql.begin(async (transaction) => {
    if (!(await endInvite(transaction, orgId, params.invite_id, now))) return false;
    const record = { resourceKind: 'INVITE', resourceId: params.invite_id.toLowerCase(), orgId, userId } as const;
    await recordAudit(transaction, context, now, { action: 'INVITE_REVOKED', ...record });
    return true;
  });
  if (!revoked) return inviteNotFound({ message: 'The organization has no such pending invite.' });
  return { status: 204 };
};
