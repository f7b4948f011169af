import type { PendingQuery, Row } from 'postgres';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { concerns, recordColumnsFor, recordOf, type AuditRow } from '../../tenancy/audit/audit-records.store.js';

type Exported = Schemas['AccountExport'];

/** The account, and the address of a change that waits. */
export async function selectExportedAccount(
  sql: Sql,
  userId: string,
  now: Date,
): Promise<Exported['account'] | undefined> {
  const [account] = await sql<Exported['account'][]>`
    select id, email, full_name, auth_provider, is_active, is_verified, is_superuser,
      ${time(sql, 'created_at')}, ${time(sql, 'updated_at')}, ${time(sql, 'last_login_at')},
      host(registered_ip) as registered_ip,
      (select t.new_email from one_time_tokens t
        where t.user_id = users.id and t.new_email is not null and t.used_at is null and t.expires_at > ${now}
        limit 1) as new_email
    from users where id = ${userId}`;
  return account;
}

export async function selectExportedMemberships(sql: Sql, userId: string): Promise<Exported['memberships']> {
  return sql<Exported['memberships']>`
    select o.id, o.name, m.role, ${time(sql, 'joined_at')}
    from memberships m join organizations o on o.id = m.org_id
    where m.user_id = ${userId} order by m.joined_at, o.id`;
}

/** The sessions whose tokens are stored: a token is deleted some days after it has expired. */
export async function selectExportedSessions(sql: Sql, userId: string, now: Date): Promise<Exported['sessions']> {
  return sql<Exported['sessions']>`
    with latest as (
      select distinct on (family_id) family_id, org_id, family_created_at, created_at, ip, user_agent,
        coalesce(revoked_at, case when expires_at <= ${now} then expires_at end) as ended_at
      from refresh_tokens where user_id = ${userId}
      order by family_id, (revoked_at is null) desc, created_at desc, (revocation_reason = 'rotated')
    )
    select family_id as id, org_id, ${time(sql, 'family_created_at', 'created_at')},
      ${time(sql, 'created_at', 'last_used_at')}, ${time(sql, 'ended_at')}, host(ip) as ip, user_agent
    from latest order by family_created_at desc, family_id`;
}

export async function selectExportedDevices(sql: Sql, userId: string): Promise<Exported['devices']> {
  return sql<Exported['devices']>`
    select program, network, ${time(sql, 'seen_at')} from known_devices
    where user_id = ${userId} order by known_devices.seen_at desc, program, network limit 50`;
}

export async function selectExportedIdentities(sql: Sql, userId: string): Promise<Exported['identities']> {
  return sql<Exported['identities']>`
    with linked as (
      select id, provider, issuer, subject, email, linked_at, last_used_at
      from user_identities where user_id = ${userId}
      union all
      select c.id, 'sso', c.issuer, i.subject, i.email, i.linked_at, i.last_used_at
      from sso_identities i join sso_connections c on c.id = i.connection_id where i.user_id = ${userId}
    )
    select id, provider, issuer, subject, email, ${time(sql, 'linked_at')}, ${time(sql, 'last_used_at')}
    from linked order by linked.linked_at, id limit 50`;
}

export async function selectExportedInvites(
  sql: Sql,
  by: { readonly email: string } | { readonly inviterId: string },
): Promise<Exported['invites_sent']> {
  return sql<Exported['invites_sent']>`
    select id, org_id, email, role, ${time(sql, 'created_at')}, ${time(sql, 'expires_at')}, ${time(sql, 'accepted_at')},
      ${time(sql, 'revoked_at')}
    from invites where ${'email' in by ? sql`email = ${by.email}` : sql`invited_by = ${by.inviterId}`}
    order by invites.created_at desc, id`;
}

/** What identity providers have stored about the person: by the account, or by its address before it has joined. */
export async function selectExportedProvisionedUsers(sql: Sql, userId: string): Promise<Exported['provisioned_users']> {
  return sql<Exported['provisioned_users']>`
    select s.org_id, s.user_name, s.email, s.external_id, s.formatted_name, s.given_name, s.family_name, s.display_name,
      s.active, ${time(sql, 's.created_at', 'created_at')}, ${time(sql, 's.updated_at', 'updated_at')}
    from scim_users s join users u on u.id = s.user_id or (s.user_id is null and u.email = s.email)
    where u.id = ${userId} order by s.created_at, s.org_id`;
}

export async function selectExportedServiceTokens(sql: Sql, userId: string): Promise<Exported['service_tokens']> {
  return sql<Exported['service_tokens']>`
    select id, org_id, name, scopes, ${time(sql, 'created_at')}, ${time(sql, 'expires_at')},
      ${time(sql, 'last_used_at')}, ${time(sql, 'rotated_at')}, ${time(sql, 'revoked_at')}
    from service_tokens where created_by = ${userId} order by service_tokens.created_at desc, id`;
}

/**
 * What the user did, and what others did with the account or its memberships, the newest first. The origin of the
 * actions of others is left out.
 */
export async function selectExportedAuditRecords(
  sql: Sql,
  userId: string,
  limit: number,
): Promise<Exported['audit_records']> {
  const rows = await sql<AuditRow[]>`
    select ${recordColumnsFor(sql, userId)} from audit_log
    where ${concerns(sql, userId)} order by at desc, id desc limit ${limit}`;
  return rows.map(recordOf);
}

/** A time as RFC 3339 text, as replies have it. */
function time(sql: Sql, column: string, name = column): PendingQuery<Row[]> {
  return sql`to_char(${sql(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${sql(name)}`;
}
