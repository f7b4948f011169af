import type { PendingQuery, Row } from 'postgres';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';

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
 * A superuser can enter any organization without membership and acts there as owner.
 *
 * @returns null when the user does not exist; `org_id` null when there is no such membership
 */
export async function findAccount(
  sql: Sql,
  userId: string,
  orgId: string | null,
): Promise<AccountInOrganization | null> {
  const [account] = await sql<AccountInOrganization[]>`${selectAccount(sql, userId, orgId)}`;
  return account ?? null;
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
): Promise<AccountInOrganization | null> {
  const [account] = await sql<AccountInOrganization[]>`
    ${selectAccount(sql, userId, orgId)} and exists (
      select 1 from refresh_tokens t
      where t.family_id = ${sessionId} and t.user_id = u.id and t.revoked_at is null and t.expires_at > ${now}
    )`;
  return account ?? null;
}

function selectAccount(sql: Sql, userId: string, orgId: string | null): PendingQuery<Row[]> {
  return sql`
    select u.id, u.email, u.full_name, u.auth_provider, u.is_verified, u.is_active, u.is_superuser, u.token_version,
      u.last_login_at, o.id as org_id, o.name as org_name,
      case when o.id is null then null else coalesce(m.role, 'owner') end as role
    from users u
    left join memberships m on m.user_id = u.id and m.org_id = ${orgId}
    left join organizations o on o.id = ${orgId} and (m.user_id is not null or u.is_superuser)
    where u.id = ${userId}`;
}

/**
 * Locks a user until the transaction ends. Every change of a user's memberships, tokens or password takes this lock
 * first, so that such changes are serialized.
 */
export async function lockUser(sql: Sql, userId: string): Promise<void> {
  await sql`select 1 from users where id = ${userId} for update`;
}

/** Locks several users until the transaction ends, in the order of their ids, to prevent deadlocks. */
export async function lockUsers(sql: Sql, userIds: readonly string[]): Promise<void> {
  await sql`
    select 1 from users where id = any (${sql.typed.texts([...userIds])}::text[]::uuid[]) order by id for update`;
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
