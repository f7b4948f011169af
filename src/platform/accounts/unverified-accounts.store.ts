import type { Sql } from '../../database/connection.js';
import type { AuditRecord } from '../audit/audit.store.js';
import { after } from '../surroundings.js';
import { unverifiedAccountSeconds } from '../tokens/lifetimes.js';

/** Accounts that were made until then and are not verified are removed. */
export function unverifiedHorizon(now: Date): Date {
  return after(now, -unverifiedAccountSeconds);
}

/** Keeps the token of a "this was not me" link. */
export async function storeDisownToken(sql: Sql, userId: string, hash: Buffer, now: Date): Promise<void> {
  await sql`insert into disown_tokens (token_hash, user_id, created_at) values (${hash}, ${userId}, ${now})`;
}

/** The unverified account that a token is for, locked until the transaction ends. @returns null: there is none */
export async function lockDisownedAccount(sql: Sql, hash: Buffer): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select u.id from users u
    where u.id = (select user_id from disown_tokens where token_hash = ${hash}) and not u.is_verified
    for update`;
  return row?.id ?? null;
}

/**
 * Finds accounts that have been unverified for too long, and locks them until the transaction ends. Those that others
 * have locked are left out, so that several servers share the work, unless the caller needs one address now.
 *
 * @param email normalized; null: any, at most `limit` of them
 */
export async function lockExpiredAccounts(sql: Sql, email: string | null, now: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from users
    where not is_verified and not is_superuser and auth_provider = 'local' and created_at <= ${unverifiedHorizon(now)}
      ${email === null ? sql`` : sql`and email = ${email}`}
    order by created_at, id limit ${limit}
    for update ${email === null ? sql`skip locked` : sql``}`;
  return rows.map(({ id }) => id);
}

/**
 * Deletes an account that the caller has locked, and the organizations that have no other member. Invites to its address
 * stay, because they are for whoever holds the address; so does the audit log.
 *
 * @returns what to record
 */
export async function deleteUnverifiedAccount(sql: Sql, userId: string, note: string): Promise<AuditRecord[]> {
  const own = await sql<{ id: string }[]>`
    select o.id from organizations o join memberships m on m.org_id = o.id and m.user_id = ${userId}
    order by o.id for no key update of o`;
  const deleted = await sql<{ id: string }[]>`
    delete from organizations o
    where o.id = any (${sql.typed.texts(own.map(({ id }) => id))}::text[]::uuid[])
      and not exists (select 1 from memberships m where m.org_id = o.id and m.user_id <> ${userId})
    returning o.id`;
  await sql`delete from users where id = ${userId}`;
  const action = 'DELETE';
  return [
    ...deleted.map(({ id }) => ({
      ...({ action, resourceKind: 'ORGANIZATION', resourceId: id, orgId: id, userId: null, note } as const),
    })),
    { action, resourceKind: 'USER', resourceId: userId, orgId: null, userId: null, note },
  ];
}
