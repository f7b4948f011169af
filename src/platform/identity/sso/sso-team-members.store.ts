import type { PendingQuery, Row } from 'postgres';
import type { Sql } from '../../../database/connection.js';
import type { AddressesByTeam, GroupMembers } from '../../tenancy/teams/group-members.js';

/** Users whose addresses leave lists: all users in the lists of all teams but some, or former members in all lists. */
export type ReleasedMembers = { readonly except: readonly string[] } | { readonly of: 'former members' };

/** The users of an organization whose addresses are meant. */
export type TeamMembersScope = { readonly orgId: string } & ({ readonly userId: string } | ReleasedMembers);

/** The addresses that lists of teams have because of groups of SSO. */
export function storedTeamMembers(scope: TeamMembersScope): Pick<GroupMembers, 'read' | 'store'> {
  const { orgId } = scope;
  return {
    read: async (sql) => {
      const rows = await sql<{ team_id: string; emails: string[] }[]>`
        select team_id, array_agg(email) as emails from sso_team_members
        where org_id = ${orgId} and ${condition(sql, scope)} group by team_id`;
      return new Map(rows.map(({ team_id: teamId, emails }) => [teamId, emails]));
    },
    store: async (sql, addresses) => {
      const pairs = pairsOf(sql, addresses);
      await sql`
        delete from sso_team_members
        where org_id = ${orgId} and ${condition(sql, scope)} and (team_id, email) not in (select * from ${pairs})`;
      if (!('userId' in scope)) return;
      await sql`
        insert into sso_team_members (org_id, team_id, email, user_id)
        select ${orgId}, team_id, email, ${scope.userId} from ${pairs} as pair (team_id, email) on conflict do nothing`;
    },
  };
}

function condition(sql: Sql, scope: TeamMembersScope): PendingQuery<Row[]> {
  if ('userId' in scope) return sql`user_id = ${scope.userId}`;
  if ('except' in scope) return sql`team_id <> all (${sql.typed.texts(scope.except)}::text[])`;
  return sql`not exists (
    select from memberships m where m.org_id = sso_team_members.org_id and m.user_id = sso_team_members.user_id)`;
}

function pairsOf(sql: Sql, addresses: AddressesByTeam): PendingQuery<Row[]> {
  const pairs = [...addresses].flatMap(([teamId, emails]) => emails.map((email) => ({ teamId, email })));
  const teamIds = sql.typed.texts(pairs.map(({ teamId }) => teamId));
  return sql`unnest(${teamIds}::text[], ${sql.typed.texts(pairs.map(({ email }) => email))}::text[])`;
}
