import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Sql } from '../../../database/connection.js';
import { recordAudit } from '../audit/audit.store.js';
import { endInvitesWithoutRight } from './invites.store.js';

/**
 * Ends the pending invites whose role their inviter can no longer give, and records it. Call it in the transaction that
 * takes rights from the inviter, after the change.
 *
 * @param userId who has changed the rights
 */
export async function endInvitesOf(
  sql: Sql,
  { inviterId, userId }: { readonly inviterId: string; readonly userId: string },
  context: RequestContext,
  now: Date,
): Promise<void> {
  for (const { id, org_id: orgId } of await endInvitesWithoutRight(sql, inviterId, now)) {
    await recordAudit(sql, context, now, {
      action: 'INVITE_REVOKED',
      resourceKind: 'INVITE',
      resourceId: id,
      orgId,
      userId,
      note: 'the inviter lost the right to give this role',
    });
  }
}
