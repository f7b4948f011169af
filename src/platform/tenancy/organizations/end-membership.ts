import type { Sql } from '../../../database/connection.js';
import type { Actor } from '../../identity/accounts/actor.js';
import type { AuditContext } from '../audit/audit.store.js';
import { endInvitesOf } from './end-invites.js';
import { deleteMembership, type MemberRow } from './members.store.js';
import { recordRemoved } from './record-removed.js';

export interface EndOfMembership {
  readonly orgId: string;
  /** Who ends it. */
  readonly actor: Actor;
  readonly context: AuditContext;
  readonly now: Date;
  /** Added to the note of the audit record. */
  readonly note?: string;
}

/**
 * Ends a membership, with its audit record and event, and the pending invites of the member. Call it under the lock of
 * `lockMembers`. Access tokens stop working immediately, because every request reads the membership; sessions continue
 * without an organization from their next refresh.
 */
export async function endMembership(
  sql: Sql,
  member: MemberRow,
  { orgId, actor, context, now, note }: EndOfMembership,
): Promise<void> {
  const { user_id: userId, role } = member;
  await deleteMembership(sql, orgId, userId);
  const was = userId === actor.userId ? `left, was ${role}` : `was ${role}`;
  const removal = { orgId, userId, actor, note: note === undefined ? was : `${was}, ${note}` };
  await recordRemoved(sql, removal, { context, now });
  await endInvitesOf(sql, { inviterId: userId, ...actor }, context, now);
}
