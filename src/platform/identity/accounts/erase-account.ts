import { onlyOwner, type OnlyOwner, type RecoveryOwner } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { deleteMailsTo } from '../../messages/mail/outbox.store.js';
import { recordAccountEvent, recordAudit } from '../../tenancy/audit/audit.store.js';
import { endInvitesOf } from '../../tenancy/organizations/end-invites.js';
import { recordRemoved } from '../../tenancy/organizations/record-removed.js';
import { forgetAccountLimits } from '../auth/account-limits.store.js';
import { endOneTimeTokens } from '../auth/one-time-tokens.store.js';
import { refusalOfErasedRecoveryOwner } from '../sso/recovery-owner.js';
import {
  deleteMailsToNewAddress,
  deleteMembershipsOf,
  markOrganizationsOnlyOf,
  deleteUserRow,
  lockOrganizationsOf,
  selectOwnedOrganizations,
  withdrawRights,
} from './erase-account.store.js';
import type { ActingOperator } from './set-activity.js';

/**
 * Deletes an account with its personal data, and records it by the id alone. Organizations of which the user is the only
 * member are removed in the background. What else the user made there belongs to the organizations and stays, without
 * the name of its creator. Runs in the caller's transaction, under the user's lock.
 *
 * @returns the ids of the organizations that the user has left, or the refusal, if organizations need the user as their
 * owner; then nothing has changed
 */
export async function eraseAccount(
  sql: Sql,
  { id: userId, email }: { readonly id: string; readonly email: string },
  { operatorId, context, now }: ActingOperator,
): Promise<{ readonly left: readonly string[] } | { readonly refusal: OnlyOwner | RecoveryOwner }> {
  await lockOrganizationsOf(sql, userId);
  const owned = await selectOwnedOrganizations(sql, userId);
  if (owned.length > 0) {
    const names = owned.map(({ name }) => name).join(', ');
    const message = `The account is the only owner of ${names}. Make another member an owner, or delete the organization first.`;
    return { refusal: onlyOwner({ message, organizations: owned }) };
  }
  const recovering = await refusalOfErasedRecoveryOwner(sql, userId);
  if (recovering !== null) return { refusal: recovering };
  const deletion = { action: 'DELETE', userId: operatorId } as const;
  const record = { ...deletion, resourceKind: 'USER', resourceId: userId } as const;
  await recordAccountEvent(sql, context, now, { ...record, memberId: userId });
  for (const orgId of await markOrganizationsOnlyOf(sql, userId, now)) {
    const mark = { action: 'DELETION_REQUESTED', userId: operatorId } as const;
    await recordAudit(sql, context, now, { ...mark, resourceKind: 'ORGANIZATION', resourceId: orgId, orgId });
  }
  const ended = await deleteMembershipsOf(sql, userId);
  for (const { org_id: orgId, role } of ended) {
    const by = { actor: { userId: operatorId, serviceTokenId: null }, removedBy: operatorId ?? userId };
    await recordRemoved(sql, { orgId, userId, ...by, note: `account deleted, was ${role}` }, { context, now });
  }
  await withdrawRights(sql, userId);
  await endInvitesOf(sql, { inviterId: userId, userId: operatorId }, context, now);
  await deleteMailsToNewAddress(sql, userId);
  await endOneTimeTokens(sql, userId);
  await forgetAccountLimits(sql, userId);
  await deleteMailsTo(sql, email);
  await deleteUserRow(sql, userId);
  return { left: ended.map(({ org_id: orgId }) => orgId) };
}
