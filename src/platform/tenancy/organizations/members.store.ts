import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { lockUsers, type Role } from '../../identity/accounts/accounts.store.js';
import type { Position } from '../../server/paging.js';

/** A membership with its user. */
export interface MemberRow {
  readonly user_id: string;
  readonly email: string;
  readonly full_name: string | null;
  readonly role: Role;
  readonly joined_at: Date;
}

/** The members in joining order. */
export async function selectMembers(
  sql: Sql,
  orgId: string,
  position: Position | null,
  limit: number,
): Promise<MemberRow[]> {
  return sql<MemberRow[]>`
    select m.user_id, u.email, u.full_name, m.role, m.joined_at
    from memberships m join users u on u.id = m.user_id
    where m.org_id = ${orgId}
      ${position === null ? sql`` : sql`and (m.joined_at, m.user_id) > (${position.at}, ${position.id})`}
    order by m.joined_at, m.user_id limit ${limit}`;
}

/** A membership with its organization. */
export interface MembershipRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly joined_at: Date;
}

/** The organizations of a user, in joining order. */
export async function selectMemberships(
  sql: Sql,
  userId: string,
  position: Position | null,
  limit: number,
): Promise<MembershipRow[]> {
  return sql<MembershipRow[]>`
    select o.id, o.name, m.role, m.joined_at
    from memberships m join organizations o on o.id = m.org_id
    where m.user_id = ${userId}
      ${position === null ? sql`` : sql`and (m.joined_at, m.org_id) > (${position.at}, ${position.id})`}
    order by m.joined_at, m.org_id limit ${limit}`;
}

/** The names of the two organizations that a user has joined last: each makes the check of a password take longer. */
export async function selectOrganizationNames(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select o.name from memberships m join organizations o on o.id = m.org_id
    where m.user_id = ${userId} order by m.joined_at desc, m.org_id limit 2`;
  return rows.map(({ name }) => name);
}

export async function findMember(sql: Sql, orgId: string, userId: string): Promise<MemberRow | null> {
  const [member] = await sql<MemberRow[]>`
    select m.user_id, u.email, u.full_name, m.role, m.joined_at
    from memberships m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.user_id = ${userId}`;
  return member ?? null;
}

/** A member whose account is not disabled. */
export async function findActiveMember(sql: Sql, orgId: string, userId: string): Promise<MemberRow | null> {
  const member = await findMember(sql, orgId, userId);
  return member !== null && (await isActive(sql, userId)) ? member : null;
}

export async function isMember(sql: Sql, orgId: string, email: string): Promise<boolean> {
  const rows = await sql`
    select 1 from memberships m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and u.email = ${email}`;
  return rows.length > 0;
}

/** A caller who acts in an organization. */
export type ActingMember = Pick<Schemas['MemberPrincipal'], 'is_superuser' | 'user_id' | 'org_id'>;

/**
 * The caller's current role. Authentication read it before this transaction's locks were taken, so it may have changed
 * since.
 *
 * @returns null when the membership has ended
 */
export async function actingRole(
  sql: Sql,
  { is_superuser: isSuperuser, user_id: userId, org_id: orgId }: ActingMember,
): Promise<Role | null> {
  if (isSuperuser) return 'owner';
  return (await findMember(sql, orgId, userId))?.role ?? null;
}

/** Whether the organization would have no owner who can log in without this member. Call it under the organization's lock. */
export async function isLastOwner(sql: Sql, orgId: string, { user_id: userId, role }: MemberRow): Promise<boolean> {
  if (role !== 'owner') return false;
  const others = await sql`
    select 1 from memberships m join users u on u.id = m.user_id and u.is_active
    where m.org_id = ${orgId} and m.role = 'owner' and m.user_id <> ${userId} limit 1`;
  return others.length === 0;
}

/**
 * The addresses of the members with some roles whose accounts are not disabled, for mails: owners first.
 *
 * @param most null: all
 */
export async function selectAddresses(
  sql: Sql,
  orgId: string,
  roles: readonly Role[],
  most: number | null,
): Promise<string[]> {
  const rows = await sql<{ email: string }[]>`
    select u.email from memberships m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.role = any (${sql.typed.texts(roles)}) and u.is_active
    order by (m.role = 'owner') desc, m.joined_at, u.id limit ${most}`;
  return rows.map(({ email }) => email);
}

/** Whether an account is not disabled. Call it under the user's lock. */
export async function isActive(sql: Sql, userId: string): Promise<boolean> {
  return (await sql`select 1 from users where id = ${userId} and is_active`).length > 0;
}

/** Makes a user a member. Call it under the lock of the user, who is none. */
export async function insertMembership(
  sql: Sql,
  { orgId, userId, role }: { readonly orgId: string; readonly userId: string; readonly role: Role },
  now: Date,
): Promise<void> {
  await sql`
    insert into memberships (user_id, org_id, role, joined_at, updated_at)
    values (${userId}, ${orgId}, ${role}, ${now}, ${now})`;
}

export async function updateRole(sql: Sql, orgId: string, userId: string, role: Role, now: Date): Promise<void> {
  await sql`
    update memberships set role = ${role}, updated_at = ${now} where org_id = ${orgId} and user_id = ${userId}`;
}

export async function deleteMembership(sql: Sql, orgId: string, userId: string): Promise<void> {
  await sql`delete from memberships where org_id = ${orgId} and user_id = ${userId}`;
}

/**
 * Locks two members, then their organization, until the transaction ends, so that changes of its memberships are
 * serialized.
 *
 * Users are locked before the organization, and both in the order of ids, to prevent deadlocks. The lock of the
 * organization (`no key update`) still allows inserts of rows that refer to it.
 */
export async function lockMembers(sql: Sql, orgId: string, userIds: readonly [string, string]): Promise<void> {
  await lockUsers(sql, userIds);
  await lockOrganization(sql, orgId);
}

/** Locks all members, then their organization, as `lockMembers` does. */
export async function lockAllMembers(sql: Sql, orgId: string): Promise<void> {
  const members = await sql<{ user_id: string }[]>`select user_id from memberships where org_id = ${orgId}`;
  await lockUsers(
    sql,
    members.map((member) => member.user_id),
  );
  await lockOrganization(sql, orgId);
}

/** Locks an organization until the transaction ends, so that its memberships do not change. */
export async function lockOrganization(sql: Sql, orgId: string): Promise<void> {
  await sql`select 1 from organizations where id = ${orgId} for no key update`;
}

/** The contract's `Member`. */
export function memberOf({ joined_at: joinedAt, ...member }: MemberRow): Schemas['Member'] {
  return { ...member, joined_at: joinedAt.toISOString() };
}
