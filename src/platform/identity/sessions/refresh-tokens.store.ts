import type { PendingQuery, Row } from 'postgres';
import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';
import type { Position } from '../../server/paging.js';

export type RevocationReason =
  'rotated' | 'logout' | 'reuse' | 'password_changed' | 'session_ended' | 'membership_ended' | 'account_disabled';

/** A session: a family of refresh tokens, and its user. */
export interface Family {
  readonly familyId: string;
  readonly userId: string;
}

/** A stored refresh token, identified by the hash of its `jti`. */
export interface RefreshTokenRow {
  readonly token_hash: Buffer;
  readonly family_id: string;
  readonly user_id: string;
  readonly org_id: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly family_created_at: Date;
  readonly family_expires_at: Date;
  readonly in_browser: boolean;
  readonly second_factor_at: Date | null;
  readonly proved_at: Date | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
}

/** The data that is kept of a revoked token. */
export interface RevokedToken {
  readonly family_id: string;
  readonly user_id: string;
  readonly org_id: string | null;
  readonly revoked_at: Date;
  readonly revocation_reason: RevocationReason;
  readonly successor_sealed: Uint8Array | null;
}

export async function insertRefreshToken(sql: Sql, row: RefreshTokenRow): Promise<void> {
  await sql`insert into refresh_tokens ${sql({ ...row })}`;
}

/** The data that each token of a session passes to its successor. */
export interface FamilyFacts {
  readonly family_created_at: Date;
  readonly family_expires_at: Date;
  /** Whether the session is in the cookie of a browser. */
  readonly in_browser: boolean;
  /** When the session was last proved by the second factor; null: never. */
  readonly second_factor_at: Date | null;
  /** When the session was last proved by the password, after its log-in; null: never. */
  readonly proved_at: Date | null;
}

/** The token that replaces a used one. */
export interface Successor {
  readonly hash: Buffer;
  readonly sealed: Buffer;
}

/**
 * Uses up a token. Of concurrent calls with the same hash, exactly one gets the row; the others find it revoked.
 *
 * @param inBrowser whether the session must be in a browser (true) or must not be (false); null: either
 * @returns null when the token is unknown, of another session, expired, already revoked, or when its session does not
 * match `inBrowser`
 */
export async function useRefreshToken(
  sql: Sql,
  hash: Buffer,
  family: Family,
  successor: Successor,
  inBrowser: boolean | null,
  now: Date,
): Promise<FamilyFacts | null> {
  const [row] = await sql<FamilyFacts[]>`
    update refresh_tokens ${replacedBy(sql, successor, now)}
    where token_hash = ${hash} and family_id = ${family.familyId} and user_id = ${family.userId}
      and revoked_at is null and expires_at > ${now} and family_expires_at > ${now}
      ${inBrowser === null ? sql`` : sql`and in_browser = ${inBrowser}`}
    returning family_created_at, family_expires_at, in_browser, second_factor_at, proved_at`;
  return row ?? null;
}

/**
 * Uses up the active token of a session, without knowing its hash.
 * @returns null when the session has ended
 */
export async function useActiveToken(
  sql: Sql,
  family: Family,
  successor: Successor,
  now: Date,
): Promise<FamilyFacts | null> {
  const [row] = await sql<FamilyFacts[]>`
    update refresh_tokens ${replacedBy(sql, successor, now)}
    where family_id = ${family.familyId} and user_id = ${family.userId}
      and revoked_at is null and expires_at > ${now} and family_expires_at > ${now}
    returning family_created_at, family_expires_at, in_browser, second_factor_at, proved_at`;
  return row ?? null;
}

function replacedBy(sql: Sql, { hash, sealed }: Successor, now: Date): PendingQuery<Row[]> {
  return sql`
    set revoked_at = ${now}, revocation_reason = 'rotated', replaced_by = ${hash}, successor_sealed = ${sealed}`;
}

/** A revoked token of this session, with the data for handling a replay. */
export async function findRevokedToken(sql: Sql, hash: Buffer, family: Family): Promise<RevokedToken | null> {
  const [row] = await sql<RevokedToken[]>`
    select family_id, user_id, org_id, revoked_at, revocation_reason, successor_sealed
    from refresh_tokens
    where token_hash = ${hash} and family_id = ${family.familyId} and user_id = ${family.userId}
      and revoked_at is not null`;
  return row ?? null;
}

/**
 * The expiry of the token with this hash.
 * @returns null when it cannot be used, or when its session does not match `inBrowser`
 */
export async function activeUntil(sql: Sql, hash: Buffer, inBrowser: boolean, now: Date): Promise<Date | null> {
  const [row] = await sql<{ expires_at: Date }[]>`
    select expires_at from refresh_tokens
    where token_hash = ${hash} and in_browser = ${inBrowser} and revoked_at is null and expires_at > ${now}`;
  return row?.expires_at ?? null;
}

/**
 * The session of an access token that does not name it (release 0.1.0): the one whose refresh token was stored just before
 * the access token was signed. A session may have ended since.
 *
 * @param issuedAt in whole seconds
 */
export async function findSessionAt(sql: Sql, userId: string, issuedAt: Date): Promise<string | null> {
  const [row] = await sql<{ family_id: string }[]>`
    select family_id from refresh_tokens
    where user_id = ${userId} and created_at < ${after(issuedAt, 1)} and created_at >= ${after(issuedAt, -10)}
    order by created_at desc
    limit 1`;
  return row?.family_id ?? null;
}

/** Selects the sessions that are in a browser and have not ended. */
export async function findBrowserSessions(sql: Sql, familyIds: readonly string[], now: Date): Promise<string[]> {
  const rows = await sql<{ family_id: string }[]>`
    select family_id from refresh_tokens
    where family_id = any (${sql.typed.texts([...familyIds])}::text[]::uuid[])
      and in_browser and revoked_at is null and expires_at > ${now}`;
  return rows.map((row) => row.family_id);
}

/**
 * Ends a session: revokes the active token of its family. The caller holds the lock of the user; otherwise a concurrent
 * refresh could insert a successor that this statement does not see.
 *
 * @returns whether the session was active
 */
export async function revokeFamily(sql: Sql, family: Family, reason: RevocationReason, now: Date): Promise<boolean> {
  const rows = await sql`
    update refresh_tokens set revoked_at = ${now}, revocation_reason = ${reason}
    where family_id = ${family.familyId} and user_id = ${family.userId} and revoked_at is null returning 1`;
  return rows.length > 0;
}

/** Revokes every token of a user, or those that are scoped to one organization. */
export async function revokeTokensOfUser(
  sql: Sql,
  user: { readonly userId: string; readonly orgId?: string },
  reason: RevocationReason,
  now: Date,
): Promise<void> {
  await sql`
    update refresh_tokens set revoked_at = ${now}, revocation_reason = ${reason}
    where user_id = ${user.userId} and revoked_at is null
      ${user.orgId === undefined ? sql`` : sql`and org_id = ${user.orgId}`}`;
}

/** A user's sessions that can be refreshed, newest first. A refresh does not change this order. */
export async function listActiveSessions(
  sql: Sql,
  userId: string,
  now: Date,
  position: Position | null,
  limit: number,
): Promise<RefreshTokenRow[]> {
  return sql<RefreshTokenRow[]>`
    select token_hash, family_id, user_id, org_id, created_at, expires_at, family_created_at, family_expires_at,
      in_browser, second_factor_at, proved_at, host(ip) as ip, user_agent
    from refresh_tokens where user_id = ${userId} and revoked_at is null and expires_at > ${now}
      ${position === null ? sql`` : sql`and (family_created_at, family_id) < (${position.at}, ${position.id})`}
    order by family_created_at desc, family_id desc limit ${limit}`;
}
