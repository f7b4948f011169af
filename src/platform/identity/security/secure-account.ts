import type { SecureAccountHandler } from '../../../../generated/platform/operations.js';
import { invalidSecurityLink } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { isUniqueViolation } from '../../../database/failures.js';
import { recordAccountEvent, type AuditContext } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { deleteUnverifiedAccount, lockUnverifiedAccount } from '../accounts/unverified-accounts.store.js';
import { deleteIdentitiesOf } from '../providers/user-identities.store.js';
import { deleteSecondFactorSince } from '../mfa/second-factors.store.js';
import { noteNewAddress } from '../scim/departures.store.js';
import { revokeLockedToken } from '../service-tokens/service-tokens.js';
import { lockUsableTokensSince } from '../service-tokens/service-tokens.store.js';
import { deleteSsoIdentitiesOf } from '../sso/sso-identities.store.js';
import { endOneTimeTokens } from '../auth/one-time-tokens.store.js';
import { storeTokenRequest } from '../auth/token-requests.store.js';
import { revokeTokensOfUser } from '../sessions/refresh-tokens.store.js';
import { hashToken } from '../tokens/token-hash.js';
import { useSecurityLink } from './security-mails.store.js';

/**
 * Takes an account away from somebody who may know its password, on behalf of the holder of the mailbox: gives it its
 * former address back if the link is of a mail about a changed one, ends the sessions, the password, the links to
 * identity providers, the passkeys and the authenticator app that were added since the mails, the service tokens that were
 * created or rotated with it since, and the links of other mails, and requests a mail with which the holder chooses a new
 * password.
 */
export const secureAccount: SecureAccountHandler<PlatformDependencies> = async (
  { body, context },
  { sql, clock, mails },
) => {
  const now = clock.now();
  const secure = async (transaction: Sql): Promise<number | null> => {
    const account = await useSecurityLink(transaction, hashToken(body.token), now);
    if (account === null) return null;
    const { id: userId, former_email: formerEmail } = account;
    const email = formerEmail ?? account.email;
    // The mail proves the mailbox, as that of a verification does; somebody else may have registered its address since.
    const stranger = formerEmail === null ? null : await lockUnverifiedAccount(transaction, formerEmail);
    if (stranger !== null) {
      await deleteUnverifiedAccount(transaction, stranger, 'the address was given back', context, now);
    }
    // The locks of organizations follow those of users, and come before all others.
    const revoked = await revokeTokensSince(transaction, userId, account.suspect_since, context, now);
    await transaction`
      update users set email = ${email}, password_hash = null, token_version = token_version + 1, updated_at = ${now}
      where id = ${userId}`;
    await noteNewAddress(transaction, userId, account.email, email);
    await deleteIdentitiesOf(transaction, userId);
    await deleteSsoIdentitiesOf(transaction, userId);
    await deleteSecondFactorSince(transaction, userId, account.suspect_since, account.concerns_mfa);
    await transaction`delete from known_devices where user_id = ${userId}`;
    await revokeTokensOfUser(transaction, { userId }, 'session_ended', now);
    await endOneTimeTokens(transaction, userId);
    await storeTokenRequest(transaction, { kind: 'reset', email }, context, now);
    const record = { action: 'ACCOUNT_SECURED', resourceKind: 'USER', resourceId: userId, userId } as const;
    await recordAccountEvent(transaction, context, now, record);
    if (formerEmail !== null) {
      const change = { action: 'EMAIL_CHANGED', resourceKind: 'USER', resourceId: userId, userId } as const;
      await recordAccountEvent(transaction, context, now, { ...change, note: 'back to the former address' });
    }
    return revoked;
  };
  let revoked: number | null;
  try {
    revoked = await sql.begin(secure);
  } catch (error) {
    if (!isUniqueViolation(error, 'users_email_key')) throw error;
    return invalidLink('Another account has the address now, so it cannot be given back.');
  }
  if (revoked === null) return invalidLink('The link is invalid, expired, or was used. Reset the password instead.');
  mails.wake();
  const tokens = `${revoked === 1 ? 'One service token was' : `${revoked} service tokens were`} revoked. `;
  const message =
    `All sessions have ended, and the password is no longer valid. ${revoked === 0 ? '' : tokens}` +
    'A mail with which you choose a new password is on its way.';
  return { status: 200, body: { message } };
};

/**
 * Revokes the service tokens that an account has created or rotated since a moment: they would outlive its sessions.
 *
 * @returns how many
 */
async function revokeTokensSince(
  sql: Sql,
  userId: string,
  since: Date,
  context: AuditContext,
  now: Date,
): Promise<number> {
  const tokens = await lockUsableTokensSince(sql, userId, since, now);
  for (const { id, org_id: orgId } of tokens) {
    await revokeLockedToken(sql, { orgId, userId, context, note: 'the account was secured' }, id, now);
  }
  return tokens.length;
}

function invalidLink(message: string): ReturnType<typeof invalidSecurityLink> {
  return invalidSecurityLink({ message });
}
