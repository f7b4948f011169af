import type { WebhookEvent } from '../../../generated/platform/webhooks.js';
import type { Schemas } from '../../../generated/platform/operations.js';
import type { Sql } from '../../database/connection.js';
import { after } from '../clock.js';
import type { Position } from '../paging.js';
import { previousSecrets } from './webhooks.store.js';

/** An event as it is stored. */
interface StoredEvent {
  readonly org_id: string;
  readonly event_id: string;
  readonly event: string;
  /** JSON. */
  readonly data: string;
  readonly created_at: Date;
}

/** A delivery that this server has taken from the outbox. */
export interface DueDelivery extends StoredEvent {
  readonly id: string;
  readonly webhook_id: string;
  readonly url: string;
  readonly sealed_secret: Uint8Array;
  /** They sign as well: their overlap has not ended. Base64. */
  readonly previous_sealed_secrets: readonly string[];
  /** Identifies this attempt. */
  readonly attempt_id: string;
  /** Includes this attempt. */
  readonly attempts: number;
}

/** How many deliveries a server may take. */
export interface DeliveryLimits {
  readonly leaseSeconds: number;
  readonly count: number;
  /** Of one organization, with those that are in flight. */
  readonly perOrganization: number;
}

/**
 * Takes deliveries of active webhooks that are due, and none whose subject has an earlier event in the outbox. Each webhook has at most one
 * in flight, each organization a limited number, and organizations with fewer come first.
 *
 * The deliveries remain in the outbox and become due again after `leaseSeconds`, in case this server dies. No two servers
 * hold the same.
 *
 * @param inFlight what this server is sending
 */
export async function takeDueDeliveries(
  sql: Sql,
  now: Date,
  inFlight: readonly Pick<DueDelivery, 'webhook_id' | 'org_id'>[],
  { leaseSeconds, count, perOrganization }: DeliveryLimits,
): Promise<DueDelivery[]> {
  const busyWebhooks = sql.typed.texts(inFlight.map((each) => each.webhook_id));
  const busyOrganizations = sql.typed.texts(inFlight.map((each) => each.org_id)); // one element per delivery
  return sql<DueDelivery[]>`
    with first_of_webhook as (
      select distinct on (d.webhook_id) d.id, d.available_at, d.position, w.org_id
      from webhook_deliveries d join webhooks w on w.id = d.webhook_id and w.is_active
      where d.failed_at is null and d.available_at <= ${now} and d.webhook_id <> all(${busyWebhooks}::text[]::uuid[])
        and not exists (
          select 1 from webhook_deliveries earlier
          where earlier.webhook_id = d.webhook_id and earlier.subject = d.subject and earlier.failed_at is null
            and earlier.position < d.position)
      order by d.webhook_id, d.available_at, d.position
    ), ranked as (
      select id, available_at, position, row_number() over (partition by org_id order by available_at, position)
        + (select count(*) from unnest(${busyOrganizations}::text[]::uuid[]) as busy (org_id)
           where busy.org_id = first_of_webhook.org_id) as rank
      from first_of_webhook
    ), due as (
      select id from ranked where rank <= ${perOrganization} order by rank, available_at, position limit ${count}
    ), taken as (
      update webhook_deliveries
      set available_at = ${after(now, leaseSeconds)}, attempts = attempts + 1, attempt_id = gen_random_uuid()
      where id in (
        select id from webhook_deliveries
        where id in (select id from due) and failed_at is null and available_at <= ${now} for update skip locked
      )
      returning id, webhook_id, event_id, event, data, created_at, attempt_id, attempts
    )
    select taken.*, w.org_id, w.url, w.sealed_secret,
      array(
        select encode(sealed_secret, 'base64') from (${previousSecrets(sql)}) as previous where signs_until > ${now}
      ) as previous_sealed_secrets
    from taken join webhooks w on w.id = taken.webhook_id`;
}

/** Removes a delivery that the URL has accepted, unless a later attempt has begun. */
export async function deleteDelivery(sql: Sql, { id, attempt_id: attemptId }: DueDelivery): Promise<void> {
  await sql`delete from webhook_deliveries where id = ${id} and attempt_id = ${attemptId}`;
}

/**
 * Records a failed attempt, unless a later one has begun. If the delivery was restarted during the attempt, it is due
 * again at once.
 *
 * @param retryAt when to retry; null: never
 */
export async function noteDeliveryFailure(
  sql: Sql,
  { id, attempt_id: attemptId, attempts }: DueDelivery,
  error: string,
  now: Date,
  retryAt: Date | null,
): Promise<void> {
  // A restart has set the number of attempts back.
  await sql`
    update webhook_deliveries set last_error = ${error}, attempt_id = null,
      available_at = case when attempts = ${attempts} then ${retryAt ?? now}::timestamptz else ${now}::timestamptz end,
      failed_at = case when attempts = ${attempts} then ${retryAt === null ? now : null}::timestamptz end
    where id = ${id} and attempt_id = ${attemptId}`;
}

/**
 * Gives up the deliveries of a webhook that is inactive and has been for long, if they have been due as long. They can
 * be restarted.
 *
 * @param dueBefore those that became due later are kept, and all if the webhook was deactivated later
 */
export async function giveUpOldDeliveries(
  sql: Sql,
  webhookId: string,
  { dueBefore, error }: { readonly dueBefore: Date; readonly error: string },
  now: Date,
): Promise<void> {
  await sql`
    update webhook_deliveries set failed_at = ${now}, last_error = ${error}
    where webhook_id = ${webhookId} and failed_at is null and ${dueBefore} >
      (select greatest(available_at, w.inactive_since) from webhooks w where w.id = webhook_id)`;
}

interface DeliveryRow extends StoredEvent {
  readonly id: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly available_at: Date;
  readonly failed_at: Date | null;
}

/** What the URL of a webhook has not accepted, newest first. */
export async function selectDeliveries(
  sql: Sql,
  webhookId: string,
  position: Position | null,
  limit: number,
): Promise<DeliveryRow[]> {
  return sql<DeliveryRow[]>`
    select ${columns(sql)} from webhook_deliveries
    where webhook_id = ${webhookId}
      ${position === null ? sql`` : sql`and (created_at, id) < (${position.at}, ${position.id})`}
    order by created_at desc, id desc limit ${limit}`;
}

/**
 * Makes a delivery due again, as if it had not been attempted. If an attempt is running, another one can begin only when
 * it has failed or its lease has ended.
 *
 * @returns null when there is no such delivery
 */
export async function restartDelivery(
  sql: Sql,
  { orgId, webhookId, id }: { readonly orgId: string; readonly webhookId: string; readonly id: string },
  now: Date,
): Promise<DeliveryRow | null> {
  const [row] = await sql<DeliveryRow[]>`
    update webhook_deliveries set attempts = 0, failed_at = null,
      available_at = case when attempt_id is null then ${now}::timestamptz else greatest(available_at, ${now}) end
    where id = ${id} and webhook_id = (select w.id from webhooks w where w.org_id = ${orgId} and w.id = ${webhookId})
    returning ${columns(sql)}`;
  return row ?? null;
}

function columns(sql: Sql): ReturnType<Sql> {
  return sql`id, (select w.org_id from webhooks w where w.id = webhook_id) as org_id, event_id, event, data, attempts,
    last_error, created_at, available_at, failed_at`;
}

/** The contract's `WebhookDelivery`. */
export function deliveryOf(row: DeliveryRow): Schemas['WebhookDelivery'] {
  const { id, attempts, last_error: error, available_at, failed_at } = row;
  return {
    id,
    event: eventOf(row),
    status: failed_at === null ? 'waiting' : 'failed',
    attempts,
    error,
    next_attempt_at: failed_at === null ? available_at.toISOString() : null,
  };
}

/** The contract's `WebhookEvent`, which is also what the URL receives. */
export function eventOf({ event, event_id: id, org_id, created_at: createdAt, data }: StoredEvent): WebhookEvent {
  const parsed: unknown = JSON.parse(data);
  const payload: unknown = { type: event, id, org_id, occurred_at: createdAt.toISOString(), data: parsed };
  return payload as WebhookEvent; // `recordEvent` has typed the data by the event
}
