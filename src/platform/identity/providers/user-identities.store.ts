import type { Sql } from '../../../database/connection.js';
import type { ProvenIdentity } from './identity-provider.js';

/** An identity that is linked to an account. */
export interface UserIdentity {
  readonly id: string;
  readonly provider: string;
  readonly email: string;
  readonly linked_at: Date;
  readonly last_used_at: Date | null;
}

type Key = Pick<ProvenIdentity, 'issuer' | 'subject'>;

/** The account that an identity is linked to; null: none. */
export async function findLinkedUser(sql: Sql, { issuer, subject }: Key): Promise<string | null> {
  const [row] = await sql<{ user_id: string }[]>`
    select user_id from user_identities where issuer = ${issuer} and subject = ${subject}`;
  return row?.user_id ?? null;
}

/**
 * Notes a log-in, and the address that the provider reports now. Call it under the lock of the user.
 *
 * @returns whether the identity is linked to the account
 */
export async function noteUse(
  sql: Sql,
  userId: string,
  { issuer, subject, email }: ProvenIdentity,
  now: Date,
): Promise<boolean> {
  const rows = await sql`
    update user_identities set last_used_at = ${now}, email = coalesce(${email}, email)
    where issuer = ${issuer} and subject = ${subject} and user_id = ${userId} returning 1`;
  return rows.length > 0;
}

/**
 * Links an identity to an account. Call it under the lock of the user.
 *
 * @returns false if it is linked already, or the account to another identity of the issuer
 */
export async function linkIdentity(
  sql: Sql,
  userId: string,
  provider: string,
  { issuer, subject, email }: Key & { readonly email: string },
  now: Date,
): Promise<boolean> {
  const rows = await sql`
    insert into user_identities (user_id, provider, issuer, subject, email, linked_at)
    values (${userId}, ${provider}, ${issuer}, ${subject}, ${email}, ${now})
    on conflict do nothing returning 1`;
  return rows.length > 0;
}

export async function selectIdentities(sql: Sql, userId: string): Promise<UserIdentity[]> {
  return sql<UserIdentity[]>`
    select id, provider, email, linked_at, last_used_at from user_identities
    where user_id = ${userId} order by user_identities.linked_at, id limit 50`;
}

export async function hasPassword(sql: Sql, userId: string): Promise<boolean> {
  const rows = await sql`select 1 from users where id = ${userId} and password_hash is not null`;
  return rows.length > 0;
}

export async function deleteIdentity(sql: Sql, id: string): Promise<void> {
  await sql`delete from user_identities where id = ${id}`;
}

/** Unlinks all identities of an account. */
export async function deleteIdentitiesOf(sql: Sql, userId: string): Promise<void> {
  await sql`delete from user_identities where user_id = ${userId}`;
}
