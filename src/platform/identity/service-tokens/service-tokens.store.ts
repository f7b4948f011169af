import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { Position } from '../../server/paging.js';
import { isMarked } from '../../tenancy/deletion/deletions.store.js';

type Scope = Schemas['ServiceTokenScope'];

/** A token as a request shows it. */
export interface PresentedToken {
  readonly service_token_id: string;
  readonly name: string;
  readonly org_id: string;
  readonly org_name: string;
  readonly scopes: Scope[];
  readonly expires_at: Date;
  readonly secret_ends_at: Date;
  readonly last_used_at: Date | null;
}

/**
 * @returns null when no token has the secret, when the token or the secret has ended, and when the organization is marked
 * for deletion
 */
export async function findByHash(sql: Sql, hash: Buffer, now: Date): Promise<PresentedToken | null> {
  const [row] = await sql<PresentedToken[]>`
    select t.id as service_token_id, t.name, t.org_id, o.name as org_name, t.scopes, t.expires_at,
      least(t.expires_at, s.valid_until) as secret_ends_at, t.last_used_at
    from service_token_secrets s
    join service_tokens t on t.id = s.token_id
    join organizations o on o.id = t.org_id
    where s.secret_hash = ${hash} and t.revoked_at is null and t.expires_at > ${now}
      and (s.valid_until is null or s.valid_until > ${now})
      and not ${isMarked(sql, 't.org_id')}`;
  return row ?? null;
}

export async function storeLastUse(sql: Sql, id: string, now: Date): Promise<void> {
  await sql`update service_tokens set last_used_at = ${now} where id = ${id}`;
}

export interface ServiceTokenRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: Scope[];
  readonly created_by: string | null;
  readonly created_by_name: string | null;
  readonly creator_is_admin: boolean;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
  readonly rotated_at: Date | null;
  readonly overlap_ends_at: Date | null;
  readonly revoked_at: Date | null;
}

/** The tokens of an organization, the newest first. */
export async function selectServiceTokens(
  sql: Sql,
  orgId: string,
  position: Position | null,
  limit: number,
  now: Date,
): Promise<ServiceTokenRow[]> {
  return sql<ServiceTokenRow[]>`
    ${withCreator(sql, now)} where t.org_id = ${orgId}
      ${position === null ? sql`` : sql`and (t.created_at, t.id) < (${position.at}, ${position.id})`}
    order by t.created_at desc, t.id desc limit ${limit}`;
}

export async function findServiceToken(
  sql: Sql,
  orgId: string,
  id: string,
  now: Date,
): Promise<ServiceTokenRow | null> {
  const [row] = await sql<ServiceTokenRow[]>`${withCreator(sql, now)} where t.org_id = ${orgId} and t.id = ${id}`;
  return row ?? null;
}

/**
 * Locks the tokens that a user has created and that can be used, until the transaction ends. Call it under the
 * organization's lock, so that none is created in the meantime.
 */
export async function lockUsableTokensOf(
  sql: Sql,
  orgId: string,
  creatorId: string,
  now: Date,
): Promise<ServiceTokenRow[]> {
  return sql<ServiceTokenRow[]>`
    ${withCreator(sql, now)}
    where t.org_id = ${orgId} and t.created_by = ${creatorId} and t.revoked_at is null and t.expires_at > ${now}
    order by t.created_at desc, t.id desc for update of t`;
}

/**
 * Locks the tokens that an account has created since a moment, and those of which it has made a secret since, that can be
 * used; before them their organizations, so that none is created or rotated in the meantime. The lock of the user is held.
 */
export async function lockUsableTokensSince(
  sql: Sql,
  userId: string,
  since: Date,
  now: Date,
): Promise<{ readonly id: string; readonly org_id: string }[]> {
  await sql`
    select 1 from organizations
    where id in (select org_id from memberships where user_id = ${userId}
      union select t.org_id from service_tokens t where ${isMadeSince(sql, userId, since)})
    order by id for no key update`;
  return sql<{ id: string; org_id: string }[]>`
    select t.id, t.org_id from service_tokens t
    where ${isMadeSince(sql, userId, since)} and t.revoked_at is null and t.expires_at > ${now}
    order by t.id for update`;
}

function isMadeSince(sql: Sql, userId: string, since: Date): ReturnType<Sql> {
  return sql`(t.created_by = ${userId} and t.created_at >= ${since} or t.id in (
    select s.token_id from service_token_secrets s where s.created_by = ${userId} and s.created_at >= ${since}))`;
}

function withCreator(sql: Sql, now: Date): ReturnType<Sql> {
  return sql`
    select t.id, t.name, t.scopes, t.created_by, coalesce(u.full_name, u.email) as created_by_name,
      coalesce(m.role in ('owner', 'admin'), false) as creator_is_admin, t.created_at, t.expires_at, t.last_used_at,
      t.rotated_at, t.revoked_at,
      (select max(s.valid_until) from service_token_secrets s
        where s.token_id = t.id and s.valid_until > ${now}) as overlap_ends_at
    from service_tokens t
    left join users u on u.id = t.created_by
    left join memberships m on m.user_id = t.created_by and m.org_id = t.org_id`;
}

/** The number of tokens that can be used. */
export async function countServiceTokens(sql: Sql, orgId: string, now: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from service_tokens where org_id = ${orgId} and revoked_at is null and expires_at > ${now}`;
  return row?.count ?? 0;
}

export interface NewServiceToken {
  readonly orgId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdBy: string | null;
  readonly expiresAt: Date;
}

/** @returns the id, or null when another token of the organization has the name */
export async function insertServiceToken(sql: Sql, token: NewServiceToken, now: Date): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    insert into service_tokens (org_id, name, scopes, created_by, created_at, expires_at)
    values (${token.orgId}, ${token.name}, ${[...token.scopes]}, ${token.createdBy}, ${now}, ${token.expiresAt})
    on conflict do nothing
    returning id`;
  return row?.id ?? null;
}

/** A secret of a token, and who has made it. */
export interface NewSecret {
  readonly hash: Buffer;
  /** null: the operator. */
  readonly createdBy: string | null;
}

export async function insertSecret(sql: Sql, id: string, { hash, createdBy }: NewSecret, now: Date): Promise<void> {
  await sql`
    insert into service_token_secrets (secret_hash, token_id, created_by, created_at)
    values (${hash}, ${id}, ${createdBy}, ${now})`;
}

/** The ends of the replaced secrets of a token that are accepted, the first one first. */
export async function endsOfReplacedSecrets(sql: Sql, id: string, now: Date): Promise<Date[]> {
  const rows = await sql<{ valid_until: Date }[]>`
    select valid_until from service_token_secrets where token_id = ${id} and valid_until > ${now} order by 1`;
  return rows.map((row) => row.valid_until);
}

/** Ends the secrets of a token at a time, unless they end earlier, and deletes those that have ended. */
export async function endSecrets(sql: Sql, id: string, until: Date, now: Date): Promise<void> {
  await sql`update service_token_secrets set valid_until = least(valid_until, ${until}) where token_id = ${id}`;
  await sql`delete from service_token_secrets where token_id = ${id} and valid_until <= ${now}`;
}

export type LockedToken = Pick<ServiceTokenRow, 'name' | 'scopes' | 'created_by' | 'expires_at' | 'revoked_at'>;

/** Locks a token until the transaction ends. @returns null when the organization has none with this id */
export async function lockServiceToken(sql: Sql, orgId: string, id: string): Promise<LockedToken | null> {
  const [row] = await sql<LockedToken[]>`
    select name, scopes, created_by, expires_at, revoked_at from service_tokens
    where org_id = ${orgId} and id = ${id} for update`;
  return row ?? null;
}

export async function storeRotation(sql: Sql, id: string, expiresAt: Date, now: Date): Promise<void> {
  await sql`update service_tokens set rotated_at = ${now}, expires_at = ${expiresAt} where id = ${id}`;
}

export async function storeRevocation(sql: Sql, id: string, now: Date): Promise<void> {
  await sql`update service_tokens set revoked_at = ${now} where id = ${id}`;
  await sql`delete from service_token_secrets where token_id = ${id}`;
}

/** The contract's `ServiceToken`. */
export function serviceTokenOf(row: ServiceTokenRow, now: Date): Schemas['ServiceToken'] {
  const { revoked_at: revokedAt, expires_at: expiresAt } = row;
  const status = revokedAt !== null ? 'revoked' : expiresAt <= now ? 'expired' : 'active';
  return {
    ...row,
    status,
    created_at: row.created_at.toISOString(),
    expires_at: expiresAt.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    rotated_at: row.rotated_at?.toISOString() ?? null,
    overlap_ends_at: row.overlap_ends_at?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
  };
}
