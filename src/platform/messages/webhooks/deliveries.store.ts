import type { WebhookEvent } from '../../../../generated/platform/webhooks.js';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';
import type { Position } from '../../server/paging.js';
import { targetColumns, type EventTarget } from './webhooks.store.js';

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
export interface DueDelivery extends StoredEvent, EventTarget {
  readonly id: string;
  /** Identifies this attempt. */
  readonly attempt_id: string;
  /** Includes this attempt. */
  readonly attempts: number;
}

/** How many deliveries a server may take. */
export interface DeliveryLimits {
  readonly leaseSeconds: number;
  readonly count: number;
  /** The limit for one organization, which includes deliveries in flight. */
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
    with recursive waiting (webhook_id) as (
      (select webhook_id from webhook_deliveries where failed_at is null order by webhook_id limit 1)
      union all
      select (
        select webhook_id from webhook_deliveries
        where failed_at is null and webhook_id > waiting.webhook_id order by webhook_id limit 1)
      from waiting where webhook_id is not null
    ), first_of_webhook as (
      select first.*, w.org_id
      from waiting join webhooks w on w.id = waiting.webhook_id and w.is_active
      cross join lateral (${firstDue(sql, now)}) as first
      where w.id <> all(${busyWebhooks}::text[]::uuid[])
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
    select taken.*, w.org_id, ${targetColumns(sql, now)}
    from taken join webhooks w on w.id = taken.webhook_id`;
}

/** How many deliveries of a webhook are tried before its subjects are read. */
const mostTried = 100;

/**
 * The delivery of the webhook `w` that has been due longest and whose subject has no earlier one. The first part of the
 * union tries those that have been due longest. If it finds none and more are due, the second reads the first delivery of
 * each subject.
 */
function firstDue(sql: Sql, now: Date): ReturnType<Sql> {
  return sql`
    (select id, available_at, position from (
      select id, subject, available_at, position from webhook_deliveries
      where webhook_id = w.id and failed_at is null and available_at <= ${now}
      order by available_at, position limit ${mostTried}) as d
    where not exists (
      select 1 from webhook_deliveries earlier
      where earlier.webhook_id = w.id and earlier.subject = d.subject and earlier.failed_at is null
        and earlier.position < d.position)
    order by available_at, position limit 1)
    union all
    (with recursive first_of_subject as (
      (select id, subject, available_at, position from webhook_deliveries
        where webhook_id = w.id and failed_at is null order by subject, position limit 1)
      union all
      select next.* from first_of_subject cross join lateral (
        select id, subject, available_at, position from webhook_deliveries
        where webhook_id = w.id and failed_at is null and subject > first_of_subject.subject
        order by subject, position limit 1) as next)
    select id, available_at, position from first_of_subject
    where available_at <= ${now} and (
      select id from webhook_deliveries where webhook_id = w.id and failed_at is null and available_at <= ${now}
      order by available_at, position offset ${mostTried} limit 1) is not null
    order by available_at, position limit 1)
    limit 1`;
}

/** Removes a delivery that the URL has accepted from the outbox, and lists it as accepted, unless a later attempt has begun. */
export async function acceptDelivery(sql: Sql, { id, attempt_id: attemptId }: DueDelivery, now: Date): Promise<void> {
  await sql`
    with accepted as (
      delete from webhook_deliveries where id = ${id} and attempt_id = ${attemptId}
      returning id, webhook_id, event_id, event, created_at, attempts
    ), recovered as (
      update webhooks set failing_since = null
      where id = (select webhook_id from accepted) and failing_since is not null
    )
    insert into accepted_webhook_deliveries (id, webhook_id, event_id, event, created_at, attempts, accepted_at)
    select id, webhook_id, event_id, event, created_at, attempts, ${now} from accepted`;
}

/**
 * Records a failed attempt, unless a later one has begun. If the delivery was restarted during the attempt, it is due
 * again at once.
 *
 * If it is given up, so are the later ones of its subject that have been due for long, unless the webhook is inactive.
 * Otherwise each of them would be attempted as long as this one, while more events are added.
 *
 * @param retryAt when to retry; null: never
 * @param followers which of the later ones are given up: those that became due before `dueBefore`
 */
export async function noteDeliveryFailure(
  sql: Sql,
  { id, attempt_id: attemptId, attempts }: DueDelivery,
  error: string,
  now: Date,
  retryAt: Date | null,
  followers: Outdated,
): Promise<void> {
  // A restart has set the number of attempts back.
  await sql`
    with noted as (
      update webhook_deliveries set last_error = ${error}, attempt_id = null,
        available_at = case when attempts = ${attempts} then ${retryAt ?? now}::timestamptz else ${now}::timestamptz end,
        failed_at = case when attempts = ${attempts} then ${retryAt === null ? now : null}::timestamptz end
      where id = ${id} and attempt_id = ${attemptId}
      returning webhook_id, subject, position, failed_at
    )
    update webhook_deliveries as later set failed_at = ${now}, last_error = ${followers.error}
    from noted join webhooks w on w.id = noted.webhook_id and w.is_active
    where noted.failed_at is not null and later.webhook_id = noted.webhook_id and later.subject = noted.subject
      and later.position > noted.position and later.failed_at is null and later.attempt_id is null
      and later.available_at < ${followers.dueBefore}`;
}

/** Which deliveries are given up because of their age. */
export interface Outdated {
  /** Deliveries that became due later are kept. */
  readonly dueBefore: Date;
  /** Why, in words for admins. */
  readonly error: string;
}

/** In one statement, which must end before its timeout. */
const mostGivenUp = 5000;

/** Gives up the oldest deliveries of a webhook that wait, if more than `most` do besides the one that is being attempted. */
export async function giveUpSurplus(
  sql: Sql,
  webhookId: string,
  { most, error }: { readonly most: number; readonly error: string },
  now: Date,
): Promise<void> {
  const waiting = sql`webhook_id = ${webhookId} and failed_at is null and attempt_id is null`;
  await sql`
    update webhook_deliveries set failed_at = ${now}, last_error = ${error}
    where id in (
      select id from webhook_deliveries where ${waiting} order by position
      limit (
        select least(greatest(count(*) - ${most}::int, 0), ${mostGivenUp}::int) from webhook_deliveries
        where ${waiting})
      for update skip locked)`;
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
  { dueBefore, error }: Outdated,
  now: Date,
): Promise<void> {
  await sql`
    update webhook_deliveries set failed_at = ${now}, last_error = ${error}
    where webhook_id = ${webhookId} and failed_at is null and ${dueBefore} >
      (select greatest(available_at, w.inactive_since) from webhooks w where w.id = webhook_id)`;
}

interface AcceptedRow {
  readonly id: string;
  readonly event_id: string;
  readonly event: Schemas['SubscribedEvent'];
  readonly created_at: Date;
  readonly attempts: number;
  readonly accepted_at: Date;
}

/** What the URL of a webhook has accepted, the one accepted last first. */
export async function selectAcceptedDeliveries(
  sql: Sql,
  webhookId: string,
  position: Position | null,
  limit: number,
): Promise<AcceptedRow[]> {
  return sql<AcceptedRow[]>`
    select id, event_id, event, created_at, attempts, accepted_at from accepted_webhook_deliveries
    where webhook_id = ${webhookId}
      ${position === null ? sql`` : sql`and (accepted_at, id) < (${position.at}, ${position.id})`}
    order by accepted_at desc, id desc limit ${limit}`;
}

/** The contract's `AcceptedDelivery`. */
export function acceptedDeliveryOf(row: AcceptedRow): Schemas['AcceptedDelivery'] {
  const { id, event_id, event, attempts } = row;
  const times = { occurred_at: row.created_at.toISOString(), accepted_at: row.accepted_at.toISOString() };
  return { id, event_id, event_type: event, attempts, ...times };
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
