import type { Sql } from '../../../database/connection.js';
import { revokeTokensOfUser } from '../sessions/refresh-tokens.store.js';
import { endLocks } from './credentials.store.js';
import { endOneTimeTokens } from './one-time-tokens.store.js';

/**
 * Sets a new password and ends all sessions: the higher token version invalidates access tokens, and refresh tokens are
 * revoked. Links of earlier mails end, also of those that are not sent yet, and the account is unlocked. Runs in the caller's transaction, under the user's
 * lock.
 */
export async function replacePassword(sql: Sql, userId: string, passwordHash: string, now: Date): Promise<void> {
  const [changed] = await sql<{ email: string }[]>`
    update users set password_hash = ${passwordHash}, token_version = token_version + 1, updated_at = ${now}
    where id = ${userId} returning email`;
  if (changed !== undefined) await endLocks(sql, changed.email);
  await endOneTimeTokens(sql, userId);
  await revokeTokensOfUser(sql, { userId }, 'password_changed', now);
}
