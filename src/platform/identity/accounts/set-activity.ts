import type { Sql } from '../../../database/connection.js';
import { recordAccountEvent, type AuditContext } from '../../tenancy/audit/audit.store.js';
import { endInvitesOf } from '../../tenancy/organizations/end-invites.js';
import { endSecurityLinks } from '../security/security-mails.store.js';
import { endOneTimeTokens } from '../auth/one-time-tokens.store.js';
import { revokeTokensOfUser } from '../sessions/refresh-tokens.store.js';

/** Who disables or enables an account. */
export interface ActingOperator {
  /** Null: at the command line of the server. */
  readonly operatorId: string | null;
  readonly context: AuditContext;
  readonly now: Date;
}

/**
 * Disables or enables an account, and records it. Disabling ends the sessions of the user, the links of mails, and the
 * pending invites. Runs in the caller's transaction, under the user's lock.
 */
export async function setActivity(
  sql: Sql,
  userId: string,
  isActive: boolean,
  { operatorId, context, now }: ActingOperator,
): Promise<void> {
  const changed = await sql`
    update users set is_active = ${isActive}, updated_at = ${now}
    where id = ${userId} and is_active <> ${isActive} returning 1`;
  if (changed.length === 0) return;
  await recordAccountEvent(sql, context, now, {
    action: isActive ? 'USER_ENABLED' : 'USER_DISABLED',
    resourceKind: 'USER',
    resourceId: userId,
    userId: operatorId,
    memberId: userId,
  });
  if (isActive) return;
  await endOneTimeTokens(sql, userId);
  await endSecurityLinks(sql, userId, now);
  await revokeTokensOfUser(sql, { userId }, 'account_disabled', now);
  await endInvitesOf(sql, { inviterId: userId, userId: operatorId }, context, now);
}
