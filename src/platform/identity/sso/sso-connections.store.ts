import type { PendingQuery, Row } from 'postgres';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { lockOrganization } from '../../tenancy/organizations/members.store.js';

export type SsoRole = Schemas['SsoGroupRole']['role'];

/** The connection of an organization to its provider. */
export interface SsoConnection {
  readonly id: string;
  readonly org_id: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret_sealed: Uint8Array;
  readonly auto_join: boolean;
  readonly default_role: SsoRole;
  readonly groups_claim: string | null;
  readonly group_roles: readonly Schemas['SsoGroupRole'][];
  readonly group_teams: readonly Schemas['SsoGroupTeam'][];
  readonly is_required: boolean;
  readonly recovery_owner_id: string | null;
  readonly updated_at: Date;
}

/** The context to which a sealed client secret is bound. */
export function secretContext(connectionId: string): string {
  return `sso_connection:${connectionId}`;
}

export async function findConnection(sql: Sql, orgId: string): Promise<SsoConnection | null> {
  const [row] = await sql<ConnectionRow[]>`select ${columns(sql)} from sso_connections where org_id = ${orgId}`;
  return row === undefined ? null : connectionOf(row);
}

/**
 * Locks the organization of a connection, reads the connection again, and keeps it from changes until the transaction
 * ends. Changes of the SSO lock both in this order. Call it under the locks of the users.
 *
 * @returns null: the connection has ended
 */
export async function holdInOrganization(
  sql: Sql,
  { id, org_id: orgId }: Pick<SsoConnection, 'id' | 'org_id'>,
): Promise<SsoConnection | null> {
  await lockOrganization(sql, orgId);
  const [row] = await sql<ConnectionRow[]>`select ${columns(sql)} from sso_connections where id = ${id} for share`;
  return row === undefined ? null : connectionOf(row);
}

/** Stores a connection, or changes the one with its id. */
export async function storeConnection(
  sql: Sql,
  { group_roles: groupRoles, group_teams: groupTeams, updated_at: now, ...connection }: SsoConnection,
): Promise<void> {
  const mappings = { group_roles: JSON.stringify(groupRoles), group_teams: JSON.stringify(groupTeams) };
  const secret = Buffer.from(connection.client_secret_sealed);
  const values = { ...connection, ...mappings, client_secret_sealed: secret, updated_at: now };
  const { id: _id, org_id: _orgId, ...changed } = values;
  await sql`
    insert into sso_connections ${sql({ ...values, created_at: now })} on conflict (id) do update set ${sql(changed)}`;
}

/** Deletes a connection with the links of its identities. Its sessions have to be ended before. */
export async function deleteConnection(sql: Sql, id: string): Promise<void> {
  await sql`delete from sso_connections where id = ${id}`;
}

/** Whether a user can always log in to an organization: as an active owner with a password. */
export async function canRecover(sql: Sql, orgId: string, userId: string): Promise<boolean> {
  const rows = await sql`
    select 1 from memberships m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.user_id = ${userId} and m.role = 'owner' and u.is_active
      and u.password_hash is not null`;
  return rows.length > 0;
}

type ConnectionRow = Omit<SsoConnection, 'group_roles' | 'group_teams'> & {
  /** JSON. */
  readonly group_roles: string;
  /** JSON. */
  readonly group_teams: string;
};

function columns(sql: Sql): PendingQuery<Row[]> {
  return sql`
    id, org_id, issuer, client_id, client_secret_sealed, auto_join, default_role, groups_claim,
    group_roles, group_teams, is_required, recovery_owner_id, updated_at`;
}

function connectionOf({ group_roles: groupRoles, group_teams: groupTeams, ...row }: ConnectionRow): SsoConnection {
  return {
    ...row,
    group_roles: JSON.parse(groupRoles) as Schemas['SsoGroupRole'][], // written by `storeConnection` alone
    group_teams: JSON.parse(groupTeams) as Schemas['SsoGroupTeam'][], // as are these
  };
}
