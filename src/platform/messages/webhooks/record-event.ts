import type { WebhookEvent } from '../../../../generated/platform/webhooks.js';
import type { Sql } from '../../../database/connection.js';

type EventType = WebhookEvent['type'];

/** Something that happened in an organization. */
export interface NewEvent<Type extends EventType> {
  readonly type: Type;
  readonly orgId: string;
  /** What it concerns. Events of one subject are sent in their order. */
  readonly subject: string;
  readonly data: Extract<WebhookEvent, { readonly type: Type }>['data'];
}

/**
 * Adds an event to the outbox of each webhook that asks for it, in the transaction that causes the event, so that both
 * are stored or neither. An inactive webhook gets nothing. A webhook that is being deleted gets nothing: the lock waits for the end of its deletion.
 */
export async function recordEvent<Type extends EventType>(
  sql: Sql,
  { type, orgId, subject, data }: NewEvent<Type>,
  now: Date,
): Promise<void> {
  await sql`
    with event as (select gen_random_uuid() as id)
    insert into webhook_deliveries (webhook_id, event_id, event, subject, data, created_at, available_at)
    select w.id, event.id, ${type}, ${subject}, ${JSON.stringify(data)}, ${now}, ${now}
    from webhooks w, event where w.org_id = ${orgId} and w.is_active and ${type} = any(w.events)
    for key share of w`;
}
