import type { Sql } from '../../../database/connection.js';

/**
 * Notes that the identity provider has deleted a user, also one who has not accepted the invite. What it has said about
 * the user is deleted, too.
 */
export async function noteDeparture(sql: Sql, orgId: string, { userId, email }: Stranger): Promise<void> {
  await sql`
    insert into scim_departures (org_id, user_id)
    select ${orgId}, id from users
    where ${userId === null ? sql`email = ${email}` : sql`id = ${userId}`} on conflict do nothing`;
}

/**
 * Notes that somebody is a member. What the identity provider has said about the address is said about the account from
 * then on, whatever address that gets. If the provider had ended the access before, an invite has brought the person
 * back: when that membership ends otherwise, the provider cannot bring it back, and SSO does not.
 */
export async function noteMember(sql: Sql, orgId: string, person: Member): Promise<void> {
  const { userId, email } = person;
  await sql`
    update scim_users set user_id = ${userId}
    where org_id = ${orgId} and user_id is null and email = ${email}
      and not exists (select from scim_users s where s.org_id = ${orgId} and s.user_id = ${userId})`;
  const returned = await sql`
    update scim_users set active = true, former_role = null
    where org_id = ${orgId} and user_id = ${userId} and not active returning 1`;
  if (returned.length > 0) await noteDeparture(sql, orgId, person);
}

/**
 * Notes that the account of a person gets another address, in all organizations of the person. What was said about the
 * former address stays about the account, also if a server of an earlier release has admitted the member.
 */
export async function noteNewAddress(sql: Sql, userId: string, former: string, email: string): Promise<void> {
  const memberships = await sql<{ org_id: string }[]>`
    select org_id from memberships where user_id = ${userId} order by org_id`;
  for (const { org_id: orgId } of memberships) {
    for (const address of [former, email]) await noteMember(sql, orgId, { userId, email: address });
  }
}

/** Forgets the departure of a person to whom the identity provider gives access again. */
export async function forgetDeparture(sql: Sql, orgId: string, email: string): Promise<void> {
  await sql`
    delete from scim_departures
    where org_id = ${orgId} and user_id = (select id from users where email = ${email})`;
}

/** The account of a member, and an address of it. */
interface Member {
  readonly userId: string;
  readonly email: string;
}

/** Somebody who is not a member. */
export interface Stranger {
  /** Null: there is no account yet. */
  readonly userId: string | null;
  readonly email: string;
}

/** Whether an admin has removed somebody, or SCIM has disabled or deleted the user: only an invite lets the person join. */
export async function needsInvite(sql: Sql, orgId: string, { userId, email }: Stranger): Promise<boolean> {
  const rows = await sql`
    select 1 from scim_users
    where org_id = ${orgId} and not active and (user_id = ${userId} or email = ${email})
    union all
    select 1 from scim_departures where org_id = ${orgId} and user_id = ${userId}`;
  return rows.length > 0;
}
