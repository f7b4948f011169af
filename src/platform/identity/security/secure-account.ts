import type { SecureAccountHandler } from '../../../../generated/platform/operations.js';
import { invalidSecurityLink } from '../../../../generated/problems.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { deleteIdentitiesOf } from '../providers/user-identities.store.js';
import { endOneTimeTokens } from '../auth/one-time-tokens.store.js';
import { storeTokenRequest } from '../auth/token-requests.store.js';
import { revokeTokensOfUser } from '../sessions/refresh-tokens.store.js';
import { hashToken } from '../tokens/token-hash.js';
import { useSecurityLink } from './security-mails.store.js';

/**
 * Takes an account away from somebody who may know its password, on behalf of the holder of the mailbox: ends the
 * sessions, the password, the links to identity providers and the links of mails, and requests a mail with which the holder chooses a new password.
 */
export const secureAccount: SecureAccountHandler<PlatformDependencies> = async (
  { body, context },
  { sql, clock, mails },
) => {
  const now = clock.now();
  const isSecured = await sql.begin(async (transaction) => {
    const account = await useSecurityLink(transaction, hashToken(body.token), now);
    if (account === null) return false;
    const { id: userId, email } = account;
    await transaction`
      update users set password_hash = null, token_version = token_version + 1, updated_at = ${now} where id = ${userId}`;
    await deleteIdentitiesOf(transaction, userId);
    await transaction`delete from known_devices where user_id = ${userId}`;
    await revokeTokensOfUser(transaction, { userId }, 'session_ended', now);
    await endOneTimeTokens(transaction, userId);
    await storeTokenRequest(transaction, { kind: 'reset', email }, context, now);
    const record = { action: 'ACCOUNT_SECURED', resourceKind: 'USER', resourceId: userId, userId } as const;
    await recordAccountEvent(transaction, context, now, record);
    return true;
  });
  if (!isSecured) {
    return invalidSecurityLink({ message: 'The link is invalid, expired, or was used. Reset the password instead.' });
  }
  mails.wake();
  const message =
    'All sessions have ended, and the password is no longer valid. A mail with which you choose a new one is on its way.';
  return { status: 200, body: { message } };
};
