import type { PendingQuery, Row } from 'postgres';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { Role } from '../../identity/accounts/accounts.store.js';
import type { Position } from '../../server/paging.js';
import { after } from '../../clock.js';
import { inviteTokenSeconds } from '../../identity/tokens/lifetimes.js';
import { isMarked } from '../deletion/deletions.store.js';

/** An invite with its status at a given time. */
export interface InviteRow {
  readonly id: string;
  readonly org_id: string;
  readonly email: string;
  readonly role: Role;
  readonly status: Schemas['Invite']['status'];
  readonly invited_by: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly accepted_at: Date | null;
}

/** What identifies an invite to the person who accepts it. */
export type InviteKey = { readonly tokenHash: Buffer } | { readonly id: string };

/** A pending invite to the address of a user. */
export interface MyInviteRow {
  readonly id: string;
  readonly org_id: string;
  readonly org_name: string;
  readonly role: Role;
  readonly created_at: Date;
  readonly expires_at: Date;
}

export type Redemption =
  | {
      readonly kind: 'joined';
      readonly orgId: string;
      readonly orgName: string;
      readonly role: Role;
      readonly inviteId: string;
    }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'already_member' };

/** The invites of an organization with their status at `now`, newest first. */
export async function selectInvites(
  sql: Sql,
  orgId: string,
  position: Position | null,
  limit: number,
  now: Date,
): Promise<InviteRow[]> {
  // An expired invite that was replaced was revoked after its expiry, so it counts as expired.
  return sql<InviteRow[]>`
    select id, org_id, email, role, invited_by, created_at, expires_at, accepted_at,
      case
        when accepted_at is not null then 'accepted'
        when revoked_at < expires_at then 'revoked'
        when expires_at <= ${now} then 'expired'
        else 'pending'
      end as status
    from invites
    where org_id = ${orgId}
      ${position === null ? sql`` : sql`and (created_at, id) < (${position.at}, ${position.id})`}
    order by created_at desc, id desc limit ${limit}`;
}

/** The invites to an address that can be accepted at `now`, newest first. */
export async function selectMyInvites(
  sql: Sql,
  email: string,
  position: Position | null,
  limit: number,
  now: Date,
): Promise<MyInviteRow[]> {
  return sql<MyInviteRow[]>`
    select i.id, i.org_id, o.name as org_name, i.role, i.created_at, i.expires_at
    from invites i join organizations o on o.id = i.org_id
    where ${isRedeemable(sql, email, now)}
      ${position === null ? sql`` : sql`and (i.created_at, i.id) < (${position.at}, ${position.id})`}
    order by i.created_at desc, i.id desc limit ${limit}`;
}

/**
 * The invite of an organization to an address that waits, or has expired, without having been accepted or revoked. Call
 * it under the lock of the organization.
 */
export async function findOpenInvite(
  sql: Sql,
  orgId: string,
  email: string,
): Promise<{ readonly id: string; readonly role: Role; readonly expires_at: Date } | null> {
  const [row] = await sql<{ id: string; role: Role; expires_at: Date }[]>`
    select id, role, expires_at from invites
    where org_id = ${orgId} and email = ${email} and accepted_at is null and revoked_at is null`;
  return row ?? null;
}

/** Stores an invite, valid for 72 hours. The organization has no open one to the address; see `findOpenInvite`. */
export async function insertInvite(
  sql: Sql,
  invite: {
    readonly orgId: string;
    /** Normalized. */
    readonly email: string;
    readonly role: Role;
    readonly tokenHash: Buffer;
    readonly invitedBy: string;
  },
  now: Date,
): Promise<InviteRow> {
  const { orgId, email, role, tokenHash, invitedBy } = invite;
  const [row] = await sql<[InviteRow]>`
    insert into invites (org_id, email, role, token_hash, invited_by, created_at, expires_at)
    values (${orgId}, ${email}, ${role}, ${tokenHash}, ${invitedBy}, ${now}, ${after(now, inviteTokenSeconds)})
    returning id, org_id, email, role, invited_by, created_at, expires_at, accepted_at, 'pending' as status`;
  return row;
}

/**
 * Stores an invite of the identity provider. It ends when the provider ends it, and nobody knows its token: people find
 * it in their account, after a registration or a log-in that proves their address.
 */
export async function insertScimInvite(
  sql: Sql,
  invite: { readonly orgId: string; readonly email: string; readonly role: Role; readonly tokenHash: Buffer },
  now: Date,
): Promise<void> {
  const { orgId, email, role, tokenHash } = invite;
  const expiresAt = after(now, scimInviteSeconds);
  await sql`
    insert into invites (org_id, email, role, token_hash, by_scim, created_at, expires_at)
    values (${orgId}, ${email}, ${role}, ${tokenHash}, true, ${now}, ${expiresAt})`;
}

/** Ten years: longer than it takes anybody to log in for the first time. */
const scimInviteSeconds = 10 * 365 * 86_400;

/** Locks a pending invite until the transaction ends. @returns its role, or null when it does not exist */
export async function lockPendingInvite(sql: Sql, orgId: string, inviteId: string, now: Date): Promise<Role | null> {
  const [row] = await sql<{ role: Role }[]>`
    select role from invites
    where org_id = ${orgId} and id = ${inviteId}
      and accepted_at is null and revoked_at is null and expires_at > ${now}
    for update`;
  return row?.role ?? null;
}

/** The organization of an invite that was sent to this address; null: there is no such invite. */
export async function findInvitingOrganization(sql: Sql, key: InviteKey, email: string): Promise<string | null> {
  const [row] = await sql<{ org_id: string }[]>`
    select i.org_id from invites i where ${matches(sql, key)} and i.email = ${email}`;
  return row?.org_id ?? null;
}

/** The name of the organization of an invite that an address can redeem; null: there is no such invite. */
export async function findInvitingName(sql: Sql, key: InviteKey, email: string, now: Date): Promise<string | null> {
  const [row] = await sql<{ name: string }[]>`
    select o.name from invites i join organizations o on o.id = i.org_id
    where ${matches(sql, key)} and ${isRedeemable(sql, email, now)}`;
  return row?.name ?? null;
}

/** The latest invite of an organization that an account with this address can redeem; null: there is none. */
export async function findInviteTo(sql: Sql, orgId: string, email: string, now: Date): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select i.id from invites i where i.org_id = ${orgId} and ${isRedeemable(sql, email, now)}
    order by i.created_at desc, i.id limit 1`;
  return row?.id ?? null;
}

/** Revokes an invite that the caller has locked as pending. */
export async function endInvite(sql: Sql, orgId: string, inviteId: string, now: Date): Promise<void> {
  await sql`update invites set revoked_at = ${now} where org_id = ${orgId} and id = ${inviteId}`;
}

/**
 * Ends the pending invites whose role their inviter can no longer give. Call it in the transaction that takes rights from
 * the inviter, after the change and under the inviter's lock.
 *
 * @returns the ended invites
 */
export async function endInvitesWithoutRight(
  sql: Sql,
  inviterId: string,
  now: Date,
): Promise<{ readonly id: string; readonly org_id: string }[]> {
  return sql<{ id: string; org_id: string }[]>`
    update invites i set revoked_at = ${now}
    where i.invited_by = ${inviterId} and i.accepted_at is null and i.revoked_at is null and i.expires_at > ${now}
      and not ${inviterMayGive(sql)}
    returning i.id, i.org_id`;
}

/**
 * Whether the inviter of the invite `i` can give its role now: as an admin or owner, up to their own role. Identity
 * providers invite while they say that the person is active.
 */
function inviterMayGive(sql: Sql): PendingQuery<Row[]> {
  return sql`(i.by_scim or exists (
    select 1 from users u left join memberships held on held.user_id = u.id and held.org_id = i.org_id
    where u.id = i.invited_by and u.is_active
      and (u.is_superuser or held.role = 'owner' or (held.role = 'admin' and i.role <> 'owner'))))`;
}

function matches(sql: Sql, key: InviteKey): PendingQuery<Row[]> {
  return 'id' in key ? sql`i.id = ${key.id}` : sql`i.token_hash = ${key.tokenHash}`;
}

/**
 * Whether the invite `i` was sent to this address, waits, can still be given by its inviter, and is to an organization
 * that is not marked for deletion.
 */
function isRedeemable(sql: Sql, email: string, now: Date): PendingQuery<Row[]> {
  return sql`i.email = ${email} and i.accepted_at is null and i.revoked_at is null and i.expires_at > ${now}
    and ${inviterMayGive(sql)} and not ${isMarked(sql, 'i.org_id')}`;
}

/**
 * Locks a user and the inviter of an invite until the transaction ends, so that the rights of the inviter do not change
 * before the user has joined. Locks in the order of ids, to prevent deadlocks.
 *
 * @param userId null: the user does not exist yet
 */
export async function lockUserAndInviter(sql: Sql, userId: string | null, key: InviteKey): Promise<void> {
  await sql`
    select 1 from users
    where id = ${userId} or id = (select i.invited_by from invites i where ${matches(sql, key)})
    order by id for no key update`;
}

/**
 * Locks an invite until the transaction ends. Call it under the lock of `lockUserAndInviter`.
 *
 * @returns whether an account with this e-mail can redeem it
 */
export async function lockRedeemableInvite(sql: Sql, key: InviteKey, email: string, now: Date): Promise<boolean> {
  const rows = await sql`
    select 1 from invites i where ${matches(sql, key)} and ${isRedeemable(sql, email, now)} for update of i`;
  return rows.length > 0;
}

/**
 * Uses up an invite and makes its user a member. Call it in a transaction, under the lock of `lockUserAndInviter`. Of
 * concurrent calls with one invite, one joins. The invite is invalid for an account with another e-mail, and if its
 * inviter can no longer give its role. A caller who is already a member does not use it up.
 */
export async function redeemInvite(
  sql: Sql,
  key: InviteKey,
  { userId, email }: { readonly userId: string; readonly email: string },
  now: Date,
): Promise<Redemption> {
  const [accepted] = await sql<
    { id: string; org_id: string; org_name: string; role: Role; invited_by: string | null }[]
  >`
    update invites i set accepted_at = ${now}, accepted_by = ${userId}
    from organizations o
    where o.id = i.org_id and ${matches(sql, key)} and ${isRedeemable(sql, email, now)}
      and not exists (select 1 from memberships m where m.org_id = i.org_id and m.user_id = ${userId})
    returning i.id, i.org_id, o.name as org_name, i.role, i.invited_by`;
  if (accepted === undefined) {
    const member = await sql`
      select 1 from invites i join memberships m on m.org_id = i.org_id and m.user_id = ${userId}
      where ${matches(sql, key)} and i.email = ${email}
        and i.accepted_at is null and i.revoked_at is null and i.expires_at > ${now}`;
    return { kind: member.length > 0 ? 'already_member' : 'invalid' };
  }
  const { id: inviteId, org_id: orgId, org_name: orgName, role } = accepted;
  await sql`
    insert into memberships (user_id, org_id, role, invited_by, joined_at, updated_at)
    values (${userId}, ${orgId}, ${role}, ${accepted.invited_by}, ${now}, ${now})`;
  return { kind: 'joined', orgId, orgName, role, inviteId };
}

/** The contract's `Invite`. */
export function inviteOf(row: InviteRow): Schemas['Invite'] {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    accepted_at: row.accepted_at?.toISOString() ?? null,
  };
}

/** The contract's `MyInvite`. */
export function myInviteOf(row: MyInviteRow): Schemas['MyInvite'] {
  return { ...row, created_at: row.created_at.toISOString(), expires_at: row.expires_at.toISOString() };
}
