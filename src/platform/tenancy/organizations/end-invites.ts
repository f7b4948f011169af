import type { Sql } from '../../../database/connection.js';
import { recordAudit, type AuditContext } from '../audit/audit.store.js';
import { endInvitesWithoutRight } from './invites.store.js';

/**
 * Ends the pending invites whose role their inviter can no longer give, and records it. Call it in the transaction that
 * takes rights from the inviter, after the change.
 *
 * @param change `userId`: who has changed the rights; null: an operator at the command line, or the service token
 */
export async function endInvitesOf(
  sql: Sql,
  change: { readonly inviterId: string; readonly userId: string | null; readonly serviceTokenId?: string | null },
  context: AuditContext,
  now: Date,
): Promise<void> {
  const { inviterId, userId, serviceTokenId = null } = change;
  for (const { id, org_id: orgId } of await endInvitesWithoutRight(sql, inviterId, now)) {
    await recordAudit(sql, context, now, {
      action: 'INVITE_REVOKED',
      resourceKind: 'INVITE',
      resourceId: id,
      orgId,
      userId,
      serviceTokenId,
      note: 'the inviter lost the right to give this role',
    });
  }
}
