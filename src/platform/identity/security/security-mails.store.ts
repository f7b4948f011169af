import type { Sql } from '../../../database/connection.js';
import type { SecurityEvent } from '../../messages/mail/security-mail.js';
import { after } from '../../clock.js';
import { lockUser } from '../accounts/accounts.store.js';
import { securityLinkSeconds } from '../tokens/lifetimes.js';

/** Mails of one kind to one account in a day. */
const mostMails = 5;
const daySeconds = 86_400;

/**
 * Stores the token of a mail.
 *
 * @returns false if the account has had all mails of this kind of the last day; then nothing is stored
 */
export async function storeSecurityMail(
  sql: Sql,
  mail: {
    readonly kind: SecurityEvent['kind'];
    readonly userId: string;
    readonly hash: Buffer;
    /** The address that its link gives back; null: its link gives none back. */
    readonly formerEmail: string | null;
  },
  now: Date,
): Promise<boolean> {
  const { kind, userId, hash, formerEmail } = mail;
  const stored = await sql`
    insert into security_mails (token_hash, user_id, kind, former_email, created_at, expires_at)
    select ${hash}, ${userId}, ${kind}, ${formerEmail}, ${now}, ${after(now, securityLinkSeconds)}
    where (
      select count(*) from security_mails
      where user_id = ${userId} and kind = ${kind} and created_at > ${after(now, -daySeconds)}
    ) < ${mostMails}
    returning 1`;
  return stored.length > 0;
}

/** The account of a link. */
export interface AccountToSecure {
  readonly id: string;
  readonly email: string;
  /** The address that the link gives back; null: it gives none back. */
  readonly former_email: string | null;
}

/**
 * Uses up the token of a link, and with it all others of the account. The user stays locked. Of concurrent calls, one
 * succeeds.
 *
 * @returns the account; null if the token is invalid, or the account disabled
 */
export async function useSecurityLink(sql: Sql, hash: Buffer, now: Date): Promise<AccountToSecure | null> {
  const [link] = await sql<{ user_id: string }[]>`select user_id from security_mails where token_hash = ${hash}`;
  if (link === undefined) return null;
  await lockUser(sql, link.user_id);
  const [account] = await sql<AccountToSecure[]>`
    select u.id, u.email, s.former_email from security_mails s join users u on u.id = s.user_id and u.is_active
    where s.token_hash = ${hash} and s.used_at is null and s.expires_at > ${now}`;
  if (account === undefined) return null;
  await sql`update security_mails set used_at = ${now} where user_id = ${account.id} and used_at is null`;
  return account;
}

/**
 * Ends the links of the mails to an address that the account gives up. They are still counted. Links that give an
 * address back stay: another change must not end them.
 */
export async function endSecurityLinks(sql: Sql, userId: string, now: Date): Promise<void> {
  await sql`
    update security_mails set used_at = ${now}
    where user_id = ${userId} and used_at is null and former_email is null`;
}
