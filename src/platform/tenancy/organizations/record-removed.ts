import type { Sql } from '../../../database/connection.js';
import type { Actor } from '../../identity/accounts/actor.js';
import { recordEvent } from '../../messages/webhooks/record-event.js';
import { recordAudit, type AuditContext } from '../audit/audit.store.js';

export interface Removal {
  readonly orgId: string;
  /** The former member. */
  readonly userId: string;
  /** Who ended the membership. */
  readonly actor: Actor;
  /** Whom the event names; absent: the acting user. */
  readonly removedBy?: string;
  /** The note of the audit record, to which the counts are added. */
  readonly note: string;
}

/** The number of things that a former member has created and that continue to work. */
interface Remains {
  readonly service_tokens: number;
  readonly webhooks: number;
  readonly integrations: number;
}

/**
 * Records that somebody is no longer a member, in the audit log and for webhooks. Both count what continues to work,
 * because the former member may know the secrets and the receivers, and an integration may use a personal access token.
 * Call it after those have ended that end as well.
 */
export async function recordRemoved(
  sql: Sql,
  { orgId, userId, actor, removedBy, note }: Removal,
  { context, now }: { readonly context: AuditContext; readonly now: Date },
): Promise<void> {
  const remains = await countRemains(sql, orgId, userId, now);
  await recordAudit(sql, context, now, {
    action: 'MEMBER_REMOVED',
    resourceKind: 'MEMBERSHIP',
    resourceId: userId,
    orgId,
    ...actor,
    note: withRemains(note, remains),
  });
  const data = { user_id: userId, removed_by: removedBy ?? actor.userId, ...remains };
  await recordEvent(sql, { type: 'member.removed', orgId, subject: `member ${userId}`, data }, now);
}

async function countRemains(sql: Sql, orgId: string, userId: string, now: Date): Promise<Remains> {
  const [row] = await sql<[Remains]>`
    select (select count(*)::int from service_tokens where org_id = ${orgId} and created_by = ${userId}
        and revoked_at is null and expires_at > ${now}) as service_tokens,
      (select count(*)::int from webhooks where org_id = ${orgId} and created_by = ${userId} and is_active) as webhooks,
      (select count(*)::int from integrations
        where org_id = ${orgId} and created_by = ${userId} and is_active) as integrations`;
  return row;
}

function withRemains(note: string, { service_tokens: tokens, webhooks, integrations }: Remains): string {
  const counts: readonly (readonly [number, string])[] = [
    [tokens, 'service token'],
    [webhooks, 'webhook'],
    [integrations, 'integration'],
  ];
  const made = counts
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}${count === 1 ? '' : 's'}`);
  return made.length === 0 ? note : `${note}; remaining: ${made.join(', ')}`;
}
