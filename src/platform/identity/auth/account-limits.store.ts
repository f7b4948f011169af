import { rateLimitKey } from '@plumbline/contract/rate-limiting';
import type { Sql } from '../../../database/connection.js';
import { endLocks, proveNetwork } from './credentials.store.js';

/**
 * Ends the lockout of an account and the limits on its password and its mails, because its user has proved to hold the mailbox.
 * Others, who may have caused the lockout, cannot do that, and cannot lock the network of this proof again from
 * elsewhere. Limits that count IP addresses stay.
 *
 * @param clientIp where the proof came from
 */
export async function endAccountLimits(sql: Sql, userId: string, clientIp: string, now: Date): Promise<void> {
  const email = await deleteCounts(sql, userId);
  if (email !== null) await proveNetwork(sql, email, clientIp, now);
}

/** Deletes what is counted for an account, which would keep its address. */
export async function forgetAccountLimits(sql: Sql, userId: string): Promise<void> {
  const email = await deleteCounts(sql, userId);
  if (email !== null) await sql`delete from proven_networks where email = ${email}`;
}

/** @returns the address of the account; null: there is none */
async function deleteCounts(sql: Sql, userId: string): Promise<string | null> {
  const [user] = await sql<{ email: string }[]>`select email from users where id = ${userId}`;
  if (user === undefined) return null;
  const keys = [
    `AUTH_LOGIN_LIMIT:${rateLimitKey('login', [user.email])}`,
    `AUTH_CHANGE_PASSWORD_LIMIT:${rateLimitKey('change-password', [userId])}`,
    ...['forgot-address', 'resend-address', 'change-email-address'].map(
      (name) => `AUTH_MAIL_ADDRESS_LIMIT:${rateLimitKey(name, [user.email])}`,
    ),
  ];
  await endLocks(sql, user.email);
  await sql`delete from rate_limits where key = any (${sql.typed.texts(keys)}::text[])`;
  return user.email;
}
