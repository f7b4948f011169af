import type { PendingQuery, Row } from 'postgres';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { Position } from '../../server/paging.js';

/** The contract's `Account`, except for its times. */
export type UserRow = Omit<Schemas['Account'], 'created_at' | 'last_login_at'> & {
  readonly created_at: Date;
  readonly last_login_at: Date | null;
};

/** Absent filters match everything. */
export interface UserFilters {
  /** A part of the address or of the name, in any case. */
  readonly search?: string | undefined;
  readonly state?: 'active' | 'disabled' | undefined;
}

/** The accounts of the installation that match all filters, the newest first. */
export async function selectUsers(
  sql: Sql,
  { search, state }: UserFilters,
  position: Position | null,
  limit: number,
): Promise<UserRow[]> {
  return sql<UserRow[]>`
    ${selectUser(sql)} where true
      ${search === undefined ? sql`` : sql`and strpos(lower(concat_ws(' ', u.email, u.full_name)), lower(${search})) > 0`}
      ${state === undefined ? sql`` : sql`and u.is_active = ${state === 'active'}`}
      ${position === null ? sql`` : sql`and (u.created_at, u.id) < (${position.at}, ${position.id})`}
    order by u.created_at desc, u.id desc limit ${limit}`;
}

/** @returns null when there is no such account */
export async function findUser(sql: Sql, userId: string): Promise<UserRow | null> {
  const [row] = await sql<UserRow[]>`${selectUser(sql)} where u.id = ${userId}`;
  return row ?? null;
}

function selectUser(sql: Sql): PendingQuery<Row[]> {
  return sql`
    select u.id, u.email, u.full_name, u.auth_provider, u.is_active, u.is_verified, u.is_superuser, u.created_at,
      u.last_login_at,
      (select coalesce(jsonb_agg(to_jsonb(m)), '[]') from (
        select o.id, o.name, m.role from memberships m join organizations o on o.id = m.org_id
        where m.user_id = u.id order by m.joined_at, o.id limit 100
      ) m) as organizations
    from users u`;
}

/** The contract's `Account`. */
export function accountOf({ created_at: createdAt, last_login_at: lastLoginAt, ...row }: UserRow): Schemas['Account'] {
  return { ...row, created_at: createdAt.toISOString(), last_login_at: lastLoginAt?.toISOString() ?? null };
}
