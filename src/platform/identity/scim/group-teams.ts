/** The teams whose lists have the members of mapped groups. */
import type { PendingQuery, Row } from 'postgres';
import type { Sql } from '../../../database/connection.js';
import { updateGroupMembers, type TeamParts } from '../../tenancy/teams/group-members.js';
import type { ChangingRequest } from '../../tenancy/teams/stored-teams.js';
import { findGroup, updateMapping, type GroupRow } from './groups.store.js';

/**
 * Brings the list of a group's team up to date, after the transaction that has changed the group. What failed is done by
 * the next change of the group.
 *
 * @param release whether the group leaves the team, so that its addresses are removed and later changes add none
 */
export async function updateTeamOf(
  groupId: string,
  request: ChangingRequest,
  parts: TeamParts,
  release: 'release' | null = null,
): Promise<void> {
  const orgId = request.principal.org_id;
  const group = await findGroup(parts.sql, orgId, groupId);
  if (group?.team_id == null) return;
  const teamId = group.team_id;
  /** null: another request has taken the group out of the team since. */
  const findMapped = async (sql: Sql): Promise<GroupRow | null> => {
    const current = await findGroup(sql, orgId, groupId);
    return current?.team_id === teamId ? current : null;
  };
  const ofTeam = async (
    sql: Sql,
    addresses: (mapped: GroupRow) => Promise<string[]>,
  ): Promise<Map<string, string[]>> => {
    const mapped = await findMapped(sql);
    return new Map(mapped === null ? [] : [[teamId, await addresses(mapped)]]);
  };
  const groups = {
    wanted: (sql: Sql) =>
      ofTeam(sql, () => (release === null ? addressesOf(sql, orgId, groupId) : Promise.resolve([]))),
    read: (sql: Sql) => ofTeam(sql, ({ team_members: recorded }) => Promise.resolve([...recorded])),
    store: async (sql: Sql, addresses: ReadonlyMap<string, readonly string[]>, isLast: boolean) => {
      const mapped = await findMapped(sql);
      if (mapped === null) return;
      await storeTeamMembers(sql, groupId, addresses.get(teamId) ?? []);
      if (isLast && release !== null) await updateMapping(sql, groupId, { role: mapped.role, teamId: null });
    },
  };
  await updateGroupMembers(groups, request, parts, `members of the group ${group.display_name}`);
}

/** Brings those lists up to date that have addresses of people who have left, or lack those of people who are back. */
export async function updateOutdatedTeams(request: ChangingRequest, parts: TeamParts): Promise<void> {
  const orgId = request.principal.org_id;
  const outdated = await parts.sql<{ id: string }[]>`
    select g.id from scim_groups g where g.org_id = ${orgId} and g.team_id is not null
      and array(${addresses(parts.sql, orgId, parts.sql`g.id`)}) <> array(select unnest(g.team_members) order by 1)`;
  for (const { id } of outdated) await updateTeamOf(id, request, parts);
}

async function addressesOf(sql: Sql, orgId: string, groupId: string): Promise<string[]> {
  const rows = await sql<{ email: string }[]>`${addresses(sql, orgId, sql`${groupId}`)}`;
  return rows.map(({ email }) => email);
}

/**
 * The addresses of a group: those of the accounts of members, and otherwise those that are invited.
 *
 * @param groupId an expression
 */
function addresses(sql: Sql, orgId: string, groupId: PendingQuery<Row[]>): PendingQuery<Row[]> {
  return sql`
    select distinct coalesce(u.email, p.email) as email
    from scim_group_members m
    join scim_people p on p.org_id = m.org_id and p.id = m.person_id and p.active
    left join users u on u.id = p.member_id
    where m.org_id = ${orgId} and m.group_id = ${groupId} order by 1`;
}

async function storeTeamMembers(sql: Sql, groupId: string, addresses: readonly string[]): Promise<void> {
  await sql`update scim_groups set team_members = ${[...addresses]} where id = ${groupId}`;
}
