import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';
import { lockUser } from '../accounts/accounts.store.js';
import { unverifiedHorizon } from '../accounts/unverified-accounts.store.js';
import { emailChangeTokenSeconds } from '../tokens/lifetimes.js';
import type { EmailChangeTokenKind } from './one-time-token-kind.js';
import { useOneTimeToken } from './one-time-tokens.store.js';

const kinds: readonly EmailChangeTokenKind[] = ['email_change_by_old', 'email_change_by_new'];

/**
 * Stores the two tokens of a change, instead of those of an earlier one. Call it under the lock of the user.
 *
 * @returns the current address
 */
export async function storeEmailChange(
  sql: Sql,
  userId: string,
  newEmail: string,
  hashes: Readonly<Record<EmailChangeTokenKind, Buffer>>,
  now: Date,
): Promise<string> {
  await deleteTokens(sql, userId);
  for (const kind of kinds) {
    await sql`
      insert into one_time_tokens (token_hash, kind, user_id, new_email, created_at, expires_at)
      values (${hashes[kind]}, ${kind}, ${userId}, ${newEmail}, ${now}, ${after(now, emailChangeTokenSeconds)})`;
  }
  const [user] = await sql<{ email: string }[]>`select email from users where id = ${userId}`;
  if (user === undefined) throw new Error('the account of a locked user is missing');
  return user.email;
}

/** Whether an account has the address. An unverified one that has expired does not count. @param email normalized */
export async function isAddressTaken(sql: Sql, email: string, now: Date): Promise<boolean> {
  const rows = await sql`
    select 1 from users where email = ${email} and (is_verified or created_at > ${unverifiedHorizon(now)})`;
  return rows.length > 0;
}

/** A confirmation of a change. */
export interface EmailConfirmation {
  readonly userId: string;
  readonly kind: EmailChangeTokenKind;
  readonly newEmail: string;
  /** Whether the other address has confirmed too. */
  readonly isComplete: boolean;
}

/**
 * Uses up a token of a change, and locks its user until the transaction ends.
 *
 * @returns null when the token is invalid, or the other one has ended
 */
export async function useEmailChangeToken(sql: Sql, hash: Buffer, now: Date): Promise<EmailConfirmation | null> {
  for (const kind of kinds) {
    const userId = await useOneTimeToken(sql, kind, hash, now);
    if (userId === null) continue;
    const tokens = await sql<{ new_email: string; is_used: boolean }[]>`
      select new_email, used_at is not null as is_used from one_time_tokens
      where user_id = ${userId} and kind = any (${sql.typed.texts([...kinds])})`;
    const [token] = tokens;
    if (token === undefined || tokens.length !== kinds.length) return null;
    return { userId, kind, newEmail: token.new_email, isComplete: tokens.every(({ is_used: isUsed }) => isUsed) };
  }
  return null;
}

/**
 * Ends the change of a token, also of one that was used.
 *
 * @returns the user, and which address refuses; null when the token is invalid
 */
export async function endEmailChange(
  sql: Sql,
  hash: Buffer,
  now: Date,
): Promise<{ readonly userId: string; readonly kind: EmailChangeTokenKind } | null> {
  const [token] = await sql<{ user_id: string; kind: EmailChangeTokenKind }[]>`
    select user_id, kind from one_time_tokens
    where token_hash = ${hash} and kind = any (${sql.typed.texts([...kinds])}) and expires_at > ${now}`;
  if (token === undefined) return null;
  await lockUser(sql, token.user_id);
  const remaining = await sql`select 1 from one_time_tokens where token_hash = ${hash}`;
  if (remaining.length === 0) return null; // ended while this transaction waited for the lock
  await deleteTokens(sql, token.user_id);
  return { userId: token.user_id, kind: token.kind };
}

/**
 * Gives the account its new address. Call it under the lock of the user, after the tokens for the old address have ended.
 *
 * @returns the former address
 * @throws PostgresError a unique violation, when another account has the address
 */
export async function storeNewEmail(sql: Sql, userId: string, newEmail: string, now: Date): Promise<string> {
  await deleteTokens(sql, userId);
  const [former] = await sql<[{ email: string }]>`
    update users set email = ${newEmail}, is_verified = true, updated_at = ${now}
    from users former where former.id = users.id and users.id = ${userId} returning former.email`;
  return former.email;
}

async function deleteTokens(sql: Sql, userId: string): Promise<void> {
  await sql`
    delete from one_time_tokens where user_id = ${userId} and kind = any (${sql.typed.texts([...kinds])})`;
}
