import type { PendingQuery, Row } from 'postgres';
import type { Sql } from '../../../database/connection.js';
import type { Position } from '../../server/paging.js';
import type { Role } from '../accounts/accounts.store.js';
import type { GroupOfPerson } from './user-resource.js';

export interface GroupRow {
  readonly id: string;
  readonly display_name: string;
  readonly external_id: string | null;
  readonly role: Exclude<Role, 'owner'> | null;
  readonly team_id: string | null;
  readonly team_members: readonly string[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A user as a member of a group. */
export interface GroupMember {
  readonly group_id: string;
  readonly person_id: string;
  readonly user_name: string;
}

/** What an identity provider says about a group, without its members. */
export interface GroupAttributes {
  readonly displayName: string;
  readonly externalId: string | null;
}

export async function findGroup(sql: Sql, orgId: string, id: string): Promise<GroupRow | null> {
  const [row] = await sql<GroupRow[]>`select * from scim_groups where org_id = ${orgId} and id = ${id}`;
  return row ?? null;
}

/** A page of the groups that a filter selects, in the order of their ids, and how many there are on all pages. */
export async function selectGroups(
  sql: Sql,
  orgId: string,
  condition: PendingQuery<Row[]>,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly rows: readonly GroupRow[]; readonly total: number }> {
  const groups = sql`from scim_groups g where g.org_id = ${orgId} and ${condition}`;
  const [counted] = await sql<{ total: number }[]>`select count(*)::int as total ${groups}`;
  const rows = await sql<GroupRow[]>`select g.* ${groups} order by g.id offset ${offset} limit ${limit}`;
  return { rows, total: counted?.total ?? 0 };
}

/** The members of groups, in the order of the ids of the groups. @param limit null: all */
export async function selectGroupMembers(
  sql: Sql,
  orgId: string,
  groupIds: readonly string[],
  limit: number | null = null,
): Promise<readonly GroupMember[]> {
  return sql<GroupMember[]>`
    select g.group_id, g.person_id, s.user_name
    from scim_group_members g join scim_users s on s.org_id = g.org_id and s.id = g.person_id
    where g.org_id = ${orgId} and g.group_id = any (${sql.typed.texts(groupIds)}::text[]::uuid[])
    order by g.group_id, g.person_id limit ${limit}`;
}

/** The groups of users, in the order of the ids of the users. @param limit null: all */
export async function selectGroupsOf(
  sql: Sql,
  orgId: string,
  personIds: readonly string[],
  limit: number | null = null,
): Promise<readonly (GroupOfPerson & { readonly person_id: string })[]> {
  return sql<(GroupOfPerson & { person_id: string })[]>`
    select m.person_id, g.id, g.display_name
    from scim_group_members m join scim_groups g on g.id = m.group_id
    where m.org_id = ${orgId} and m.person_id = any (${sql.typed.texts(personIds)}::text[]::uuid[])
    order by m.person_id, g.id limit ${limit}`;
}

/** Whether another group has a name. @param id null: a new group */
export async function isGroupNameTaken(sql: Sql, orgId: string, id: string | null, name: string): Promise<boolean> {
  const rows = await sql`
    select from scim_groups
    where org_id = ${orgId} and id is distinct from ${id} and lower(display_name) = lower(${name})`;
  return rows.length > 0;
}

export async function countGroups(sql: Sql, orgId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int from scim_groups where org_id = ${orgId}`;
  return row?.count ?? 0;
}

export async function insertGroup(
  sql: Sql,
  orgId: string,
  { displayName, externalId }: GroupAttributes,
  now: Date,
): Promise<string> {
  const row = { org_id: orgId, display_name: displayName, external_id: externalId, created_at: now, updated_at: now };
  const [inserted] = await sql<[{ id: string }]>`insert into scim_groups ${sql(row)} returning id`;
  return inserted.id;
}

export async function updateGroup(
  sql: Sql,
  id: string,
  { displayName, externalId }: GroupAttributes,
  now: Date,
): Promise<void> {
  await sql`
    update scim_groups set display_name = ${displayName}, external_id = ${externalId}, updated_at = ${now}
    where id = ${id}`;
}

export async function addGroupMembers(
  sql: Sql,
  orgId: string,
  id: string,
  personIds: readonly string[],
): Promise<void> {
  await sql`
    insert into scim_group_members (org_id, group_id, person_id)
    select ${orgId}, ${id}, person_id from unnest(${sql.typed.texts(personIds)}::text[]::uuid[]) as person_id
    on conflict do nothing`;
}

export async function removeGroupMembers(sql: Sql, id: string, personIds: readonly string[]): Promise<void> {
  await sql`
    delete from scim_group_members
    where group_id = ${id} and person_id = any (${sql.typed.texts(personIds)}::text[]::uuid[])`;
}

export async function deleteGroupRow(sql: Sql, id: string): Promise<void> {
  await sql`delete from scim_groups where id = ${id}`;
}

/** The groups of an organization with the number of their members, the newest first. */
export async function selectProvisionedGroups(
  sql: Sql,
  orgId: string,
  position: Position | null,
  limit: number,
): Promise<readonly (GroupRow & { readonly member_count: number })[]> {
  return sql<(GroupRow & { member_count: number })[]>`
    select g.*, (select count(*)::int from scim_group_members m where m.group_id = g.id) as member_count
    from scim_groups g where g.org_id = ${orgId}
      ${position === null ? sql`` : sql`and (g.created_at, g.id) < (${position.at}, ${position.id})`}
    order by g.created_at desc, g.id desc limit ${limit}`;
}

/** Stores what a group gives. */
export async function updateMapping(
  sql: Sql,
  id: string,
  { role, teamId }: { readonly role: GroupRow['role']; readonly teamId: string | null },
): Promise<void> {
  await sql`update scim_groups set role = ${role}, team_id = ${teamId} where id = ${id}`;
}
