import type { Sql } from '../../../database/connection.js';
import { recordAccountEvent, type AuditContext } from '../../tenancy/audit/audit.store.js';
import { endInvitesOf } from '../../tenancy/organizations/end-invites.js';
import { storeActivity, type UserRow } from './users.store.js';

/** Who disables or enables an account. */
export interface ActingOperator {
  /** Null: at the command line of the server. */
  readonly userId: string | null;
  readonly context: AuditContext;
  readonly now: Date;
}

/**
 * Disables or enables an account, ends what a disabled one may not have, and records it. Runs in the caller's
 * transaction, under the user's lock.
 */
export async function setActivity(
  sql: Sql,
  user: UserRow,
  isActive: boolean,
  { userId, context, now }: ActingOperator,
): Promise<void> {
  if (!(await storeActivity(sql, user, isActive, now))) return;
  await recordAccountEvent(sql, context, now, {
    action: isActive ? 'USER_ENABLED' : 'USER_DISABLED',
    resourceKind: 'USER',
    resourceId: user.id,
    userId,
    memberId: user.id,
  });
  await endInvitesOf(sql, { inviterId: user.id, userId }, context, now);
}
