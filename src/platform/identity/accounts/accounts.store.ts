import type { PendingQuery, Row } from 'postgres';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { isRecoveryOwner } from '../sso/recovery-owner.js';

export type Role = Schemas['Role'];

/** The columns of `users` that handlers read. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly full_name: string | null;
  readonly auth_provider: string;
  readonly is_verified: boolean;
  readonly is_active: boolean;
  readonly is_superuser: boolean;
  readonly token_version: number;
  readonly last_login_at: Date | null;
}

/** An account with its membership in one organization, if any. */
export interface AccountInOrganization extends Account {
  readonly org_id: string | null;
  readonly org_name: string | null;
  readonly role: Role | null;
}

/**
 * The account of `userId`, and its membership in `orgId`.
 *
 * A superuser can enter any organization without membership and acts there as owner. A session by SSO enters the
 * organization of its connection alone, and has no rights of a superuser: otherwise those who run the provider of one
 * organization would have its members' other organizations. An organization that requires SSO lets no other sessions in, except those of its
 * recovery owner and of superusers.
 *
 * @param sessionId the session that works as the account; null: one that is none by SSO
 * @returns null when the user does not exist; `org_id` null when there is no such membership, or the session cannot enter
 */
export async function findAccount(
  sql: Sql,
  userId: string,
  orgId: string | null,
  sessionId: string | null,
): Promise<AccountInOrganization | null> {
  const [account] = await sql<AccountInOrganization[]>`${selectAccount(sql, userId, orgId, sessionId)}`;
  return account ?? null;
}

/** The account of a session. */
export interface AccountInSession extends AccountInOrganization {
  /** Whether the organization demands a second factor that the session lacks. */
  readonly mfa_missing: boolean;
}

/**
 * Reads the account of a session in one statement.
 *
 * @returns null when the user does not exist or the session has ended; `org_id` null when there is no such membership
 */
export async function findAccountInSession(
  sql: Sql,
  { userId, orgId, sessionId }: { readonly userId: string; readonly orgId: string | null; readonly sessionId: string },
  now: Date,
): Promise<AccountInSession | null> {
  const [account] = await sql<AccountInSession[]>`${selectAccount(sql, userId, orgId, sessionId, {
    // An organization that demands a second factor leaves it to its own identity provider in sessions by SSO.
    columns: sql`, coalesce(o.mfa_required and t.second_factor_at is null and s.family_id is null, false) as mfa_missing`,
    joins: sql`
      join refresh_tokens t on t.family_id = ${sessionId} and t.user_id = u.id
        and t.revoked_at is null and t.expires_at > ${now}`,
  })}`;
  return account ?? null;
}

/** @param also what the query reads in addition */
function selectAccount(
  sql: Sql,
  userId: string,
  orgId: string | null,
  sessionId: string | null,
  also: { readonly columns: PendingQuery<Row[]>; readonly joins: PendingQuery<Row[]> } = {
    columns: sql``,
    joins: sql``,
  },
): PendingQuery<Row[]> {
  return sql`
    select u.id, u.email, u.full_name, u.auth_provider, u.is_verified, u.is_active,
      u.is_superuser and s.family_id is null as is_superuser, u.token_version, u.last_login_at, o.id as org_id, o.name as org_name,
      case when o.id is null then null else coalesce(m.role, 'owner') end as role ${also.columns}
    from users u
    left join sso_sessions s on s.family_id = ${sessionId}
    left join memberships m on m.user_id = u.id and m.org_id = ${orgId}
    left join organizations o on o.id = ${orgId} and case
      when s.family_id is not null then m.user_id is not null and exists (
        select 1 from sso_connections c where c.id = s.connection_id and c.org_id = o.id)
      else u.is_superuser or m.user_id is not null and not exists (
        select 1 from sso_connections c
        where c.org_id = o.id and c.is_required and not ${isRecoveryOwner(sql, sql`u.id`)})
      end
    ${also.joins}
    where u.id = ${userId}`;
}

/**
 * Locks a user until the transaction ends. Every change of a user's memberships, tokens or password takes this lock
 * first, so that such changes are serialized. Rows that refer to the user can still be inserted meanwhile: who holds the
 * lock of an organization and inserts one would otherwise wait for a user whose holder waits for that organization.
 */
export async function lockUser(sql: Sql, userId: string): Promise<void> {
  await sql`select 1 from users where id = ${userId} for no key update`;
}

/** Locks several users until the transaction ends, in the order of their ids, to prevent deadlocks. */
export async function lockUsers(sql: Sql, userIds: readonly string[]): Promise<void> {
  await sql`
    select 1 from users where id = any (${sql.typed.texts([...userIds])}::text[]::uuid[]) order by id for no key update`;
}

/** The contract's `User`. */
export function userOf(account: AccountInOrganization): Schemas['User'] {
  return {
    id: account.id,
    email: account.email,
    full_name: account.full_name,
    is_verified: account.is_verified,
    is_superuser: account.is_superuser,
    auth_provider: account.auth_provider,
    org_id: account.org_id,
    role: account.role,
    last_login_at: account.last_login_at?.toISOString() ?? null,
  };
}
