import type { PendingQuery, Row } from 'postgres';
import type { Sql } from '../../../database/connection.js';
import type { Role } from '../accounts/accounts.store.js';
import type { UserAttributes } from './user-attributes.js';

/** A row of `scim_people`. */
export interface PersonRow {
  readonly id: string;
  readonly is_stored: boolean;
  /** The account of the member or former member. */
  readonly account_id: string | null;
  /** The account of the member; null: the person is not a member now. */
  readonly member_id: string | null;
  readonly role: Role | null;
  readonly user_name: string;
  readonly email: string;
  readonly external_id: string | null;
  readonly formatted_name: string | null;
  readonly given_name: string | null;
  readonly family_name: string | null;
  readonly display_name: string | null;
  readonly active: boolean;
  readonly former_role: Role | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export async function findPerson(sql: Sql, orgId: string, id: string): Promise<PersonRow | null> {
  const [row] = await sql<PersonRow[]>`select * from scim_people where org_id = ${orgId} and id = ${id}`;
  return row ?? null;
}

/**
 * Locks the account of a user and the one that has the address, in the order of ids to prevent deadlocks, until the
 * transaction ends. Accepting an invite takes the same lock.
 */
export async function lockAccountsOf(
  sql: Sql,
  { member_id: memberId, account_id: accountId, email }: Pick<PersonRow, 'member_id' | 'account_id' | 'email'>,
): Promise<void> {
  await sql`
    select 1 from users where id = ${memberId ?? accountId} or email = ${email} order by id for no key update`;
}

/** A page of the users that a filter selects, in the order of their ids, and how many there are on all pages. */
export async function selectPeople(
  sql: Sql,
  orgId: string,
  condition: PendingQuery<Row[]>,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly rows: readonly PersonRow[]; readonly total: number }> {
  const people = sql`from scim_people p where p.org_id = ${orgId} and ${condition}`;
  const [counted] = await sql<{ total: number }[]>`select count(*)::int as total ${people}`;
  const rows = await sql<PersonRow[]>`select p.* ${people} order by p.id offset ${offset} limit ${limit}`;
  return { rows, total: counted?.total ?? 0 };
}

/** What another user of the organization has of these attributes; null: nothing. @param id null: a new user */
export async function findTaken(
  sql: Sql,
  orgId: string,
  id: string | null,
  { userName, email }: Pick<UserAttributes, 'userName' | 'email'>,
): Promise<'userName' | 'address' | null> {
  const [row] = await sql<{ is_name: boolean }[]>`
    select lower(user_name) = lower(${userName}) as is_name from scim_people
    where org_id = ${orgId} and id is distinct from ${id} and (lower(user_name) = lower(${userName}) or email = ${email})
    order by 1 desc limit 1`;
  return row === undefined ? null : row.is_name ? 'userName' : 'address';
}

/**
 * Deletes what is stored about members who have left, or whom an admin has removed, so that names are free again:
 * `findTaken` does not see them. Call it under the lock of the organization, before a name is stored.
 */
export async function deleteFormerPeople(sql: Sql, orgId: string): Promise<void> {
  await sql`
    delete from scim_users s where org_id = ${orgId} and active and user_id is not null
      and not exists (select from memberships m where m.org_id = s.org_id and m.user_id = s.user_id)`;
}

export async function insertPerson(sql: Sql, orgId: string, attributes: UserAttributes, now: Date): Promise<string> {
  const [row] = await sql<[{ id: string }]>`
    insert into scim_users ${sql({ org_id: orgId, ...columnsOf(attributes), created_at: now, updated_at: now })}
    returning id`;
  return row.id;
}

/**
 * Stores the members among some users about whom nothing is stored, with the ids of their accounts.
 *
 * @returns the id of a user that the organization does not have; null: it has all of them
 */
export async function storeMembers(sql: Sql, orgId: string, ids: readonly string[]): Promise<string | null> {
  if (ids.length === 0) return null;
  const all = sql`${sql.typed.texts(ids)}::text[]::uuid[]`;
  const [unknown] = await sql<{ id: string }[]>`
    select id from unnest(${all}) as wanted (id)
    where not exists (select from scim_people p where p.org_id = ${orgId} and p.id = wanted.id) limit 1`;
  if (unknown !== undefined) return unknown.id;
  await sql`
    insert into scim_users
      (id, org_id, user_id, user_name, email, formatted_name, display_name, active, created_at, updated_at)
    select id, org_id, account_id, user_name, email, formatted_name, display_name, active, created_at, updated_at
    from scim_people where org_id = ${orgId} and not is_stored and id = any (${all})`;
  return null;
}

/** The accounts of users who are or were members. */
export async function selectAccounts(sql: Sql, orgId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select coalesce(member_id, account_id) as id from scim_people
    where org_id = ${orgId} and id = any (${sql.typed.texts(ids)}::text[]::uuid[])
      and coalesce(member_id, account_id) is not null`;
  return rows.map((row) => row.id);
}

/** @param accountId the account of the member or former member; null: nobody has joined */
export async function updatePerson(
  sql: Sql,
  { orgId, id, accountId }: { readonly orgId: string; readonly id: string; readonly accountId: string | null },
  attributes: UserAttributes,
  now: Date,
): Promise<void> {
  const row = { ...columnsOf(attributes), user_id: accountId, updated_at: now };
  await sql`update scim_users set ${sql(row)} where org_id = ${orgId} and id = ${id}`;
}

/** @param role the role of the ended membership */
export async function storeFormerRole(sql: Sql, orgId: string, id: string, role: Role): Promise<void> {
  const kept = role === 'owner' ? 'admin' : role; // nobody becomes an owner without an owner's decision
  await sql`update scim_users set former_role = ${kept} where org_id = ${orgId} and id = ${id}`;
}

export async function deletePerson(sql: Sql, orgId: string, id: string): Promise<void> {
  await sql`delete from scim_users where org_id = ${orgId} and id = ${id}`;
}

function columnsOf(attributes: UserAttributes): Record<string, string | boolean | null> {
  return {
    user_name: attributes.userName,
    email: attributes.email,
    external_id: attributes.externalId,
    formatted_name: attributes.formattedName,
    given_name: attributes.givenName,
    family_name: attributes.familyName,
    display_name: attributes.displayName,
    active: attributes.active,
  };
}
