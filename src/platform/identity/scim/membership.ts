/** Joining and leaving the organization as the identity provider says. */
import type { LastOwner, RecoveryOwner } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { endMembership } from '../../tenancy/organizations/end-membership.js';
import { endInvite, findOpenInvite, insertScimInvite } from '../../tenancy/organizations/invites.store.js';
import { findMember, insertMembership, isActive } from '../../tenancy/organizations/members.store.js';
import { refusalOfNeededOwner } from '../../tenancy/organizations/needed-owner.js';
import { recordJoined } from '../../tenancy/organizations/record-joined.js';
import type { Role } from '../accounts/accounts.store.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { forgetDeparture } from './departures.store.js';
import type { PersonRow } from './people.store.js';
import { storeFormerRole } from './people.store.js';
import type { Provisioning } from './provisioning.js';

/**
 * Ends the membership of a person, as `removeMember` does, or the invite. The audit record of it is that of the change.
 *
 * @returns the refusal for an owner whom the organization needs
 */
export async function endAccess(
  sql: Sql,
  person: PersonRow,
  provisioning: Provisioning,
): Promise<LastOwner | RecoveryOwner | null> {
  const { orgId, now } = provisioning;
  const member = person.member_id === null ? null : await findMember(sql, orgId, person.member_id);
  if (member !== null) {
    const needed = await refusalOfNeededOwner(sql, orgId, member);
    if (needed !== null) return needed;
    await endMembership(sql, member, { ...provisioning, note: 'by the identity provider' });
    await storeFormerRole(sql, orgId, person.id, member.role);
  }
  for (const email of new Set([person.email, member?.email ?? person.email])) {
    const invite = await findOpenInvite(sql, orgId, email);
    if (invite !== null) await endInvite(sql, orgId, invite.id, now);
  }
  return null;
}

/**
 * Gives a person access again: a former member whose membership the identity provider has ended becomes a member, and
 * others are invited. Nobody becomes a member who has not joined before.
 *
 * @param role the role that the groups of the person give; null: none
 */
export async function giveAccess(
  sql: Sql,
  person: Pick<PersonRow, 'account_id' | 'email' | 'former_role'>,
  role: Role | null,
  provisioning: Provisioning,
  { random }: Pick<PlatformDependencies, 'random'>,
): Promise<void> {
  const { orgId, now } = provisioning;
  await forgetDeparture(sql, orgId, person.email);
  const given = role ?? person.former_role ?? 'member';
  const { account_id: userId } = person;
  if (userId !== null && (await isActive(sql, userId))) {
    await insertMembership(sql, { orgId, userId, role: given }, now);
    const joining = { orgId, userId, role: given, actor: provisioning.actor, note: 'by the identity provider' };
    await recordJoined(sql, joining, provisioning);
    return;
  }
  const open = await findOpenInvite(sql, orgId, person.email);
  if (open !== null && open.expires_at > now) return;
  if (open !== null) await endInvite(sql, orgId, open.id, now);
  await insertScimInvite(
    sql,
    { orgId, email: person.email, role: given, tokenHash: newOneTimeToken(random).hash },
    now,
  );
}
