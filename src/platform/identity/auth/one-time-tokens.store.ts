import type { PendingQuery, Row } from 'postgres';
import type { Sql } from '../../../database/connection.js';
import { lockUser } from '../accounts/accounts.store.js';
import { unverifiedHorizon } from '../accounts/unverified-accounts.store.js';
import { deliveriesOfRecords, type AuditAction } from '../../tenancy/audit/audit.store.js';
import type { OutboxEntry } from '../../messages/mail/outbox.store.js';
import { after } from '../../clock.js';
import { endTokenRequests, type TokenRequest } from './token-requests.store.js';
import type { Registration } from './verification-mail.js';
import { resetTokenSeconds, verificationTokenSeconds } from '../tokens/lifetimes.js';
import type { OneTimeTokenKind, RequestedTokenKind } from './one-time-token-kind.js';

const lifetimes = { verification: verificationTokenSeconds, reset: resetTokenSeconds } as const;

/** Stores a token's hash for a user, replacing an older one of the same kind. */
export async function storeOneTimeToken(
  sql: Sql,
  token: { readonly kind: RequestedTokenKind; readonly hash: Buffer; readonly userId: string },
  now: Date,
): Promise<void> {
  const expiresAt = after(now, lifetimes[token.kind]);
  await sql`
    insert into one_time_tokens (token_hash, kind, user_id, created_at, expires_at)
    values (${token.hash}, ${token.kind}, ${token.userId}, ${now}, ${expiresAt})
    on conflict (user_id, kind) where used_at is null
    do update set token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at`;
}

/**
 * Stores a token and its mail for the account with the address, if there is one.
 *
 * Verification tokens are for unverified accounts, reset tokens for active ones.
 */
export async function offerOneTimeToken(
  sql: Sql,
  request: TokenRequest,
  offer: {
    readonly hash: Buffer;
    /** The token of the "this was not me" link; null for mails without one. */
    readonly disownHash: Buffer | null;
    readonly mail: OutboxEntry;
    readonly audit: AuditAction;
  },
): Promise<void> {
  const { kind, email, requested_at: now } = request;
  const { hash, disownHash, mail } = offer;
  await sql`
    with account as (
      select id from users
      where email = ${email} and is_active
        and (${kind} = 'reset' or (not is_verified and created_at > ${unverifiedHorizon(now)}))
      for key share -- the account must not be deleted between here and the inserts
    ), disown as (
      insert into disown_tokens (token_hash, user_id, created_at)
      select ${disownHash}, id, ${now} from account where ${disownHash}::bytea is not null
    ), token as (
      insert into one_time_tokens (token_hash, kind, user_id, created_at, expires_at)
      select ${hash}, ${kind}, id, ${now}, ${after(now, lifetimes[kind])} from account
      on conflict (user_id, kind) where used_at is null
      do update set token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at
    ), record as (
      insert into audit_log (at, action, resource_kind, resource_id, org_id, user_id, status, ip, user_agent, request_id)
      select ${now}, ${offer.audit}, 'USER', id::text, m.org_id, id, 'success', ${request.ip}, ${request.user_agent},
        ${request.request_id}
      from account left join memberships m on m.user_id = account.id
      returning *
    ), deliveries as (
      ${deliveriesOfRecords(sql, now)}
    )
    insert into outgoing_mails (id, kind, recipient, payload_sealed, created_at, available_at)
    select ${mail.id}, ${mail.kind}, ${email}, ${mail.sealed}, ${now}, ${now} from account`;
}

/** Returns the owner of a valid token. @returns null if there is no such token */
export async function findTokenOwner(
  sql: Sql,
  kind: OneTimeTokenKind,
  hash: Buffer,
  now: Date,
): Promise<{
  readonly id: string;
  readonly email: string;
  readonly full_name: string | null;
  readonly password_hash: string | null;
} | null> {
  const [owner] = await sql<{ id: string; email: string; full_name: string | null; password_hash: string | null }[]>`
    select u.id, u.email, u.full_name, u.password_hash from one_time_tokens t join users u on u.id = t.user_id
    where ${isValid(sql, kind, hash, now)}`;
  return owner ?? null;
}

/** Whether the token `t` of the user `u` is valid. A verification token ends with its unverified account. */
function isValid(sql: Sql, kind: OneTimeTokenKind, hash: Buffer, now: Date): PendingQuery<Row[]> {
  return sql`
    t.token_hash = ${hash} and t.kind = ${kind} and t.used_at is null and t.expires_at > ${now} and u.is_active
      ${kind === 'verification' ? sql`and u.created_at > ${unverifiedHorizon(now)}` : sql``}`;
}

/**
 * Uses up a token. Of concurrent calls, one succeeds. The user is locked first, as in all code that deletes users, to
 * prevent deadlocks.
 *
 * @returns the token's owner, or null when it is invalid
 */
export async function useOneTimeToken(
  sql: Sql,
  kind: OneTimeTokenKind,
  hash: Buffer,
  now: Date,
): Promise<string | null> {
  const [owner] = await sql<{ user_id: string }[]>`select user_id from one_time_tokens where token_hash = ${hash}`;
  if (owner === undefined) return null;
  await lockUser(sql, owner.user_id);
  const used = await sql`
    update one_time_tokens t set used_at = ${now} from users u
    where u.id = t.user_id and ${isValid(sql, kind, hash, now)} returning 1`;
  return used.length > 0 ? owner.user_id : null;
}

/** Deletes the tokens of a user that are not used yet, or only requested, so that no earlier mail changes the account. */
export async function endOneTimeTokens(sql: Sql, userId: string): Promise<void> {
  await endTokenRequests(sql, userId);
  await sql`delete from one_time_tokens where user_id = ${userId} and used_at is null`;
}

/**
 * When and from where the unverified account of an address was created; null if there is none. @param email normalized
 */
export async function findRegistration(sql: Sql, email: string): Promise<Registration | null> {
  const [row] = await sql<Registration[]>`
    select created_at as at, host(registered_ip) as "from" from users where email = ${email} and not is_verified`;
  return row ?? null;
}
