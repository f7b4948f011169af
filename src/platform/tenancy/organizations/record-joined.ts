import type { Sql } from '../../../database/connection.js';
import type { Role } from '../../identity/accounts/accounts.store.js';
import type { Actor } from '../../identity/accounts/actor.js';
import { recordEvent } from '../../messages/webhooks/record-event.js';
import { recordAudit, type AuditContext } from '../audit/audit.store.js';

export interface Joining {
  readonly orgId: string;
  readonly userId: string;
  readonly role: Role;
  /** Whose act it is. */
  readonly actor: Actor;
  /** The note of the audit record. */
  readonly note?: string;
}

/** Records that somebody has become a member, in the audit log and for webhooks. */
export async function recordJoined(
  sql: Sql,
  { orgId, userId, role, actor, note }: Joining,
  { context, now }: { readonly context: AuditContext; readonly now: Date },
): Promise<void> {
  await recordAudit(sql, context, now, {
    action: 'MEMBER_JOINED',
    resourceKind: 'MEMBERSHIP',
    resourceId: userId,
    orgId,
    ...actor,
    ...(note !== undefined && { note }),
  });
  const data = { user_id: userId, role };
  await recordEvent(sql, { type: 'member.joined', orgId, subject: `member ${userId}`, data }, now);
}
