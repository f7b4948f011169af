import type { Sql } from '../../database/connection.js';
import { revokeTokensOfUser } from '../sessions/refresh-tokens.store.js';

/**
 * Sets a new password and shuts out whoever used the old one: access tokens by the raised token version, refresh
 * tokens by revocation. The lock of the account is lifted. Runs in the caller's transaction, under the user's lock.
 */
export async function replacePassword(sql: Sql, userId: string, passwordHash: string, now: Date): Promise<void> {
  await sql`
    with changed as (
      update users set password_hash = ${passwordHash}, token_version = token_version + 1, updated_at = ${now}
      where id = ${userId} returning email
    )
    delete from login_failures using changed where login_failures.email = changed.email`;
  await revokeTokensOfUser(sql, { userId }, 'password_changed', now);
}
