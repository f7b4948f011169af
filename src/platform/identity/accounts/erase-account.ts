import { onlyOwner, type OnlyOwner } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { deleteMailsTo } from '../../messages/mail/outbox.store.js';
import { recordEvent } from '../../messages/webhooks/record-event.js';
import { recordAccountEvent, recordAudit } from '../../tenancy/audit/audit.store.js';
import { endInvitesOf } from '../../tenancy/organizations/end-invites.js';
import { forgetAccountLimits } from '../auth/account-limits.store.js';
import { endOneTimeTokens } from '../auth/one-time-tokens.store.js';
import {
  deleteMailsToNewAddress,
  deleteMembershipsOf,
  markOrganizationsOnlyOf,
  deleteUserRow,
  lockOrganizationsOf,
  selectOwnedOrganizations,
  withdrawRights,
  type EndedMembership,
} from './erase-account.store.js';
import type { ActingOperator } from './set-activity.js';

/**
 * Deletes an account with its personal data, and records it by the id alone. Organizations of which the user is the only
 * member are removed in the background. What else the user made there belongs to the organizations and stays, without
 * the name of its creator. Runs in the caller's transaction, under the user's lock.
 *
 * @returns the refusal, if organizations need the user as their owner; then nothing has changed
 */
export async function eraseAccount(
  sql: Sql,
  { id: userId, email }: { readonly id: string; readonly email: string },
  { operatorId, context, now }: ActingOperator,
): Promise<OnlyOwner | null> {
  await lockOrganizationsOf(sql, userId);
  const owned = await selectOwnedOrganizations(sql, userId);
  if (owned.length > 0) {
    const names = owned.map(({ name }) => name).join(', ');
    const message = `The account is the only owner of ${names}. Make another member an owner, or delete the organization first.`;
    return onlyOwner({ message, organizations: owned });
  }
  const deletion = { action: 'DELETE', userId: operatorId } as const;
  const record = { ...deletion, resourceKind: 'USER', resourceId: userId } as const;
  await recordAccountEvent(sql, context, now, { ...record, memberId: userId });
  for (const orgId of await markOrganizationsOnlyOf(sql, userId, now)) {
    const mark = { action: 'DELETION_REQUESTED', userId: operatorId } as const;
    await recordAudit(sql, context, now, { ...mark, resourceKind: 'ORGANIZATION', resourceId: orgId, orgId });
  }
  for (const membership of await deleteMembershipsOf(sql, userId, now)) {
    const { org_id: orgId } = membership;
    await recordAudit(sql, context, now, {
      action: 'MEMBER_REMOVED',
      resourceKind: 'MEMBERSHIP',
      resourceId: userId,
      orgId,
      userId: operatorId,
      note: noteOf(membership),
    });
    const data = { user_id: userId, removed_by: operatorId ?? userId };
    await recordEvent(sql, { type: 'member.removed', orgId, subject: `member ${userId}`, data }, now);
  }
  await withdrawRights(sql, userId);
  await endInvitesOf(sql, { inviterId: userId, userId: operatorId }, context, now);
  await deleteMailsToNewAddress(sql, userId);
  await endOneTimeTokens(sql, userId);
  await forgetAccountLimits(sql, userId);
  await deleteMailsTo(sql, email);
  await deleteUserRow(sql, userId);
  return null;
}

/** Tells the admins what the user may still know the secrets of. */
function noteOf({ role, service_tokens: tokens, webhooks }: EndedMembership): string {
  const note = `account deleted, was ${role}`;
  const made = [
    ...(tokens > 0 ? [`${tokens} service token${tokens === 1 ? '' : 's'}`] : []),
    ...(webhooks > 0 ? [`${webhooks} webhook${webhooks === 1 ? '' : 's'}`] : []),
  ];
  return made.length === 0 ? note : `${note}; remaining: ${made.join(', ')}`;
}
