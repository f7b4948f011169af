import type { Sql } from '../../../database/connection.js';
import { recordAudit, type AuditContext } from '../../tenancy/audit/audit.store.js';
import { after } from '../../clock.js';
import { unverifiedAccountSeconds } from '../tokens/lifetimes.js';

/** Unverified accounts created before this time are removed. */
export function unverifiedHorizon(now: Date): Date {
  return after(now, -unverifiedAccountSeconds);
}

/** Stores the token of a "this was not me" link. */
export async function storeDisownToken(sql: Sql, userId: string, hash: Buffer, now: Date): Promise<void> {
  await sql`insert into disown_tokens (token_hash, user_id, created_at) values (${hash}, ${userId}, ${now})`;
}

/** Returns the unverified account of a token, locked until the transaction ends. @returns null if there is none */
export async function lockDisownedAccount(sql: Sql, hash: Buffer): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select u.id from users u
    where u.id = (select user_id from disown_tokens where token_hash = ${hash}) and not u.is_verified
    for update`;
  return row?.id ?? null;
}

/** Returns the unverified account with an address, locked until the transaction ends. @returns null if there is none */
export async function lockUnverifiedAccount(sql: Sql, email: string): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from users where email = ${email} and not is_verified and not is_superuser for update`;
  return row?.id ?? null;
}

/**
 * Finds and locks accounts that have been unverified for too long. Skips accounts locked by others, so that several
 * servers share the work, unless the caller needs a specific address.
 *
 * @param email normalized; null: at most `limit` accounts of any address
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
 * Deletes an account that the caller has locked, and the organizations without other members, and records it. Keeps
 * invites to its address, which are for the holder of the address, and the audit log.
 *
 * @param note the reason, for the audit log
 */
export async function deleteUnverifiedAccount(
  sql: Sql,
  userId: string,
  note: string,
  context: AuditContext,
  now: Date,
): Promise<void> {
  const own = await sql<{ id: string }[]>`
    select o.id from organizations o join memberships m on m.org_id = o.id and m.user_id = ${userId}
    order by o.id for no key update of o`;
  const deleted = await sql<{ id: string }[]>`
    delete from organizations o
    where o.id = any (${sql.typed.texts(own.map(({ id }) => id))}::text[]::uuid[])
      and not exists (select 1 from memberships m where m.org_id = o.id and m.user_id <> ${userId})
    returning o.id`;
  await sql`delete from users where id = ${userId}`;
  const record = { action: 'DELETE', userId: null, note } as const;
  for (const { id } of deleted) {
    await recordAudit(sql, context, now, { ...record, resourceKind: 'ORGANIZATION', resourceId: id, orgId: id });
  }
  await recordAudit(sql, context, now, { ...record, resourceKind: 'USER', resourceId: userId, orgId: null });
}
