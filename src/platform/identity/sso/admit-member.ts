import type { RequestContext } from '@plumbline/contract/contract-types';
import { ssoNotAdmitted, type SsoNotAdmitted } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { isMarkedForDeletion } from '../../tenancy/deletion/deletions.store.js';
import { storeRole } from '../../tenancy/organizations/change-role.js';
import { endInvitesOf } from '../../tenancy/organizations/end-invites.js';
import { findInviteTo } from '../../tenancy/organizations/invites.store.js';
import { findMember, insertMembership, type MemberRow } from '../../tenancy/organizations/members.store.js';
import { recordJoined } from '../../tenancy/organizations/record-joined.js';
import { redeemAndRecord } from '../onboarding/join-by-invite.js';
import { reaches } from '../accounts/permissions.js';
import { needsInvite, noteMember, type Stranger } from '../scim/departures.store.js';
import { roleOfNewMember } from '../scim/group-roles.js';
import type { SecurityMailParts } from '../security/security-mails.js';
import type { SsoConnection, SsoRole } from './sso-connections.store.js';
import { groupsOf } from './groups-of-claims.js';

/** A person who logs in by SSO. */
export interface Entrant {
  readonly userId: string;
  readonly email: string;
  /** The invite of the organization that waits for the address; null: none. */
  readonly inviteId: string | null;
  /** The claims of the provider. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Whether somebody who is not a member can become one. Whom an admin has removed, or SCIM has disabled or deleted, needs an
 * invite, also with `auto_join`: an admin decides anew, or SCIM gives access again.
 *
 * @returns the refusal; null: by `auto_join`, or by an invite
 */
export async function refusalOfStranger(
  sql: Sql,
  connection: SsoConnection,
  stranger: Stranger,
  now: Date,
): Promise<SsoNotAdmitted | null> {
  if (await isMarkedForDeletion(sql, connection.org_id)) {
    return ssoNotAdmitted({ message: 'The organization is marked for deletion, so nobody can join it.' });
  }
  if ((await findInviteTo(sql, connection.org_id, stranger.email, now)) !== null) return null;
  return refusalOfAutoJoin(sql, connection, stranger);
}

/** Whether somebody without an invite can become a member. */
async function refusalOfAutoJoin(
  sql: Sql,
  connection: SsoConnection,
  stranger: Stranger,
): Promise<SsoNotAdmitted | null> {
  if (await needsInvite(sql, connection.org_id, stranger)) {
    const message =
      'Your access to this organization was ended by its administrators or its user directory. ' +
      'Ask its administrators for an invite.';
    return ssoNotAdmitted({ message });
  }
  if (connection.auto_join) return null;
  return ssoNotAdmitted({
    message: 'You are not a member of this organization. Ask its administrators for an invite.',
  });
}

/**
 * Makes a person who logs in by SSO a member, and gives members the role of their groups. Owners keep their role, so no
 * group can take the organization over or leave it without an owner. Call it under the locks of the user, the inviter
 * and the organization.
 *
 * @returns the refusal; null: the person is a member
 */
export async function admitMember(
  sql: Sql,
  connection: SsoConnection,
  entrant: Entrant,
  origin: { readonly context: RequestContext; readonly now: Date },
  parts: SecurityMailParts,
): Promise<SsoNotAdmitted | null> {
  const { org_id: orgId } = connection;
  const { userId, email, inviteId } = entrant;
  const { now } = origin;
  const role = roleByGroups(connection, entrant.claims);
  if ((await findMember(sql, orgId, userId)) === null) {
    const refusal = await refusalOfStranger(sql, connection, { userId, email }, now);
    if (refusal !== null) return refusal;
    const redeemed =
      inviteId === null ? null : await redeemAndRecord(sql, { id: inviteId }, { userId, email }, origin, parts);
    if (redeemed?.kind !== 'joined') {
      if (inviteId !== null) {
        // The invite has ended since.
        const uninvited = await refusalOfAutoJoin(sql, connection, { userId, email });
        if (uninvited !== null) return uninvited;
      }
      const joining = role ?? (await roleOfNewMember(sql, orgId, { userId, email })) ?? connection.default_role;
      await insertMembership(sql, { orgId, userId, role: joining }, now);
      await noteMember(sql, orgId, { userId, email });
      const actor = { userId, serviceTokenId: null };
      await recordJoined(sql, { orgId, userId, role: joining, actor, note: 'by SSO' }, origin);
    }
  }
  const member = await findMember(sql, orgId, userId);
  if (member !== null && role !== null) await giveRole(sql, orgId, member, role, origin);
  return null;
}

/** The role of somebody's groups, the most powerful of several. @returns null: groups decide no roles, or are unknown */
function roleByGroups(connection: SsoConnection, claims: Entrant['claims']): SsoRole | null {
  const groups = groupsOf(connection, claims);
  if (groups === null) return null;
  const roles = connection.group_roles.filter(({ group }) => groups.has(group)).map(({ role }) => role);
  return roles.find((role) => roles.every((other) => reaches(role, other))) ?? connection.default_role;
}

async function giveRole(
  sql: Sql,
  orgId: string,
  member: MemberRow,
  role: SsoRole,
  { context, now }: { readonly context: RequestContext; readonly now: Date },
): Promise<void> {
  if (member.role === 'owner' || member.role === role) return;
  const userId = member.user_id;
  const change = { actor: { userId: null }, context, now, cause: ', by groups of SSO' };
  await storeRole(sql, { orgId, userId, role: member.role }, role, change);
  await endInvitesOf(sql, { inviterId: userId, userId: null }, context, now);
}
