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
  /** When the first of the mails whose links still worked was caused: what was set up since may be somebody else's. */
  readonly suspect_since: Date;
  /** Whether one of these mails is about the second factor. */
  readonly concerns_mfa: boolean;
}

/**
 * Uses up the token of a link, and with it others of the account: those that give no address back, and if it gives one
 * back itself, those of later changes. The link of an earlier change stays: somebody who has the later mailbox must not end
 * it. The user stays locked. Of concurrent calls, one succeeds.
 *
 * @returns the account; null if the token is invalid, or the account disabled
 */
export async function useSecurityLink(sql: Sql, hash: Buffer, now: Date): Promise<AccountToSecure | null> {
  const [link] = await sql<{ user_id: string }[]>`select user_id from security_mails where token_hash = ${hash}`;
  if (link === undefined) return null;
  await lockUser(sql, link.user_id);
  const [account] = await sql<AccountToSecure[]>`
    select u.id, u.email, s.former_email, open.suspect_since, open.concerns_mfa
    from security_mails s join users u on u.id = s.user_id and u.is_active
    cross join lateral (
      select min(o.created_at) as suspect_since, bool_or(o.kind = 'mfa_changed') as concerns_mfa
      from security_mails o where o.user_id = s.user_id and o.used_at is null and o.expires_at > ${now}
    ) as open
    where s.token_hash = ${hash} and s.used_at is null and s.expires_at > ${now}`;
  if (account === undefined) return null;
  await sql`
    update security_mails o set used_at = ${now} from security_mails s
    where s.token_hash = ${hash} and o.user_id = s.user_id and o.used_at is null
      and (o.former_email is null or (s.former_email is not null and o.created_at >= s.created_at))`;
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
