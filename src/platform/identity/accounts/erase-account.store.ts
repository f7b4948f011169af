import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { isMarked } from '../../tenancy/deletion/deletions.store.js';
import type { Role } from './accounts.store.js';

/** An organization that needs its only owner. */
export type OwnedOrganization = Schemas['OnlyOwnerProblem']['organizations'][number];

/** A membership that ends with the account. */
export interface EndedMembership {
  readonly org_id: string;
  readonly role: Role;
}

/** Locks the organizations of a user until the transaction ends, so that their memberships do not change. */
export async function lockOrganizationsOf(sql: Sql, userId: string): Promise<void> {
  await sql`
    select 1 from organizations o join memberships m on m.org_id = o.id and m.user_id = ${userId}
    order by o.id for no key update of o`;
}

/**
 * The organizations that would be left without an owner, or without members although something was connected or
 * synchronized in them. The first 100 by name. Those marked for deletion are deleted when it is due, with or without an
 * owner.
 */
export async function selectOwnedOrganizations(sql: Sql, userId: string): Promise<OwnedOrganization[]> {
  return sql<OwnedOrganization[]>`
    select o.id, o.name, (select count(*)::int from memberships m where m.org_id = o.id) as member_count
    from organizations o join memberships own on own.org_id = o.id and own.user_id = ${userId}
    where not ${isMarked(sql, 'o.id')} and case
      when exists (select 1 from memberships m where m.org_id = o.id and m.user_id <> ${userId})
        then own.role = 'owner' and not exists (
          select 1 from memberships m join users u on u.id = m.user_id and u.is_active
          where m.org_id = o.id and m.user_id <> ${userId} and m.role = 'owner')
      else o.first_sync_completed_at is not null
        or exists (select 1 from integrations i where i.org_id = o.id)
        or exists (select 1 from sync_configs c where c.org_id = o.id)
      end
    order by o.name, o.id limit 100`;
}

/**
 * Marks the organizations of which the user is the only member for deletion at once. The removal in the background also
 * clears what they have in the store of the records. Those that are marked already stay until it is due.
 *
 * @returns their ids
 */
export async function markOrganizationsOnlyOf(sql: Sql, userId: string, now: Date): Promise<string[]> {
  const rows = await sql<{ org_id: string }[]>`
    insert into organization_deletions (org_id, requested_at, due_at)
    select o.id, ${now}, ${now} from organizations o join memberships own on own.org_id = o.id and own.user_id = ${userId}
    where not ${isMarked(sql, 'o.id')}
      and not exists (select 1 from memberships m where m.org_id = o.id and m.user_id <> ${userId})
    returning org_id`;
  return rows.map((row) => row.org_id);
}

/** Ends the memberships of a user. */
export async function deleteMembershipsOf(sql: Sql, userId: string): Promise<EndedMembership[]> {
  return sql<EndedMembership[]>`delete from memberships where user_id = ${userId} returning org_id, role`;
}

/** Deletes the mails to the address that the account was going to have. */
export async function deleteMailsToNewAddress(sql: Sql, userId: string): Promise<void> {
  await sql`
    delete from outgoing_mails where recipient in (
      select new_email from one_time_tokens where user_id = ${userId} and new_email is not null and used_at is null)`;
}

/** Takes every right from a user, so that what depends on one ends as when it is withdrawn. */
export async function withdrawRights(sql: Sql, userId: string): Promise<void> {
  await sql`update users set is_active = false, is_superuser = false where id = ${userId}`;
}

/**
 * Deletes a user, and the invites to the address, which would keep it. Sessions and tokens of mails go with the user;
 * references of other rows become null.
 */
export async function deleteUserRow(sql: Sql, userId: string): Promise<void> {
  await sql`delete from invites where email = (select email from users where id = ${userId})`;
  await sql`delete from scim_users where user_id is null and email = (select email from users where id = ${userId})`;
  await sql`delete from security_mails where user_id = ${userId}`;
  await sql`delete from users where id = ${userId}`;
}
