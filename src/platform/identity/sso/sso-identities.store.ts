import type { Sql } from '../../../database/connection.js';

/** An account at the provider of an organization. */
export interface SsoIdentity {
  readonly connectionId: string;
  readonly subject: string;
  /** Verified, and normalized. */
  readonly email: string;
}

/** The account that an identity is linked to; null: none. */
export async function findSsoUser(sql: Sql, { connectionId, subject }: SsoIdentity): Promise<string | null> {
  const [row] = await sql<{ user_id: string }[]>`
    select user_id from sso_identities where connection_id = ${connectionId} and subject = ${subject}`;
  return row?.user_id ?? null;
}

/** The same with the address of the account, which can be another one than that of the identity. */
export async function findAccountOfIdentity(
  sql: Sql,
  { connectionId, subject }: Pick<SsoIdentity, 'connectionId' | 'subject'>,
): Promise<{ readonly id: string; readonly email: string } | null> {
  const [row] = await sql<{ id: string; email: string }[]>`
    select u.id, u.email from sso_identities i join users u on u.id = i.user_id
    where i.connection_id = ${connectionId} and i.subject = ${subject}`;
  return row ?? null;
}

/**
 * Locks those whom a log-in can concern until the transaction ends: the account of the identity, the one with its
 * address, and the inviter, in the order of their ids, to prevent deadlocks. Call it before the organization is locked.
 *
 * @param inviteId null: no invite waits for the address
 */
export async function lockUsersOfLogin(
  sql: Sql,
  { connectionId, subject, email }: SsoIdentity,
  inviteId: string | null,
): Promise<void> {
  await sql`
    select 1 from users
    where email = ${email}
      or id = (select user_id from sso_identities where connection_id = ${connectionId} and subject = ${subject})
      or id = (select invited_by from invites where id = ${inviteId})
    order by id for no key update`;
}

/**
 * Links an identity. Call it while the connection is held.
 *
 * @returns false if it is linked already, or the account to another identity of the provider
 */
export async function linkSsoIdentity(
  sql: Sql,
  userId: string,
  { connectionId, subject, email }: SsoIdentity,
  now: Date,
): Promise<boolean> {
  const rows = await sql`
    insert into sso_identities (connection_id, subject, user_id, email, linked_at)
    values (${connectionId}, ${subject}, ${userId}, ${email}, ${now}) on conflict do nothing returning 1`;
  return rows.length > 0;
}

/** Notes a log-in. Call it under the lock of the user. @returns whether the identity is linked to the account */
export async function noteSsoUse(
  sql: Sql,
  userId: string,
  { connectionId, subject, email }: SsoIdentity,
  now: Date,
): Promise<boolean> {
  const rows = await sql`
    update sso_identities set last_used_at = ${now}, email = ${email}
    where connection_id = ${connectionId} and subject = ${subject} and user_id = ${userId} returning 1`;
  return rows.length > 0;
}

/** Removes the links of an account to the providers of its organizations. */
export async function deleteSsoIdentitiesOf(sql: Sql, userId: string): Promise<void> {
  await sql`delete from sso_identities where user_id = ${userId}`;
}

/** What decides whether an account may be linked without a proof of it. */
export interface LinkableAccount {
  readonly id: string;
  readonly is_verified: boolean;
  readonly is_superuser: boolean;
  readonly is_active: boolean;
  readonly is_member: boolean;
  /** Whether it belongs to organizations beside the one of the connection. */
  readonly is_shared: boolean;
}

/** The account with an address. Locks it until the transaction ends. */
export async function lockLinkable(sql: Sql, email: string, orgId: string): Promise<LinkableAccount | null> {
  await sql`select 1 from users where email = ${email} for no key update`;
  const [row] = await sql<LinkableAccount[]>`
    select id, is_verified, is_superuser, is_active,
      exists (select 1 from memberships m where m.user_id = users.id and m.org_id = ${orgId}) as is_member,
      exists (select 1 from memberships m where m.user_id = users.id and m.org_id <> ${orgId}) as is_shared
    from users where email = ${email}`;
  return row ?? null;
}
