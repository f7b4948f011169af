import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql, Transaction } from '../../../database/connection.js';
import type { Position } from '../../server/paging.js';

/** Why the server has deactivated a webhook: its URL answered 410, or accepted nothing for days. */
export type InactiveReason = NonNullable<Schemas['Webhook']['inactive_reason']>;

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly events: Schemas['WebhookEventTypes'];
  readonly description: string | null;
  readonly is_active: boolean;
  readonly inactive_reason: InactiveReason | null;
  /** The end of the longest overlap; null once all have ended. */
  readonly overlap_ends_at: Date | null;
  readonly created_by: string | null;
  readonly created_at: Date;
}

/** Where an event is sent, and by which secrets it is signed. */
export interface EventTarget {
  readonly webhook_id: string;
  readonly url: string;
  readonly sealed_secret: Uint8Array;
  /** They sign as well: their overlap has not ended. Base64. */
  readonly previous_sealed_secrets: readonly string[];
}

/** The webhooks of an organization, newest first. */
export async function selectWebhooks(
  sql: Sql,
  orgId: string,
  position: Position | null,
  limit: number,
  now: Date,
): Promise<WebhookRow[]> {
  return sql<WebhookRow[]>`
    select ${columns(sql, now)} from webhooks w
    where org_id = ${orgId} ${position === null ? sql`` : sql`and (created_at, id) < (${position.at}, ${position.id})`}
    order by created_at desc, id desc limit ${limit}`;
}

/** The webhooks that a user has created in an organization, newest first. */
export async function selectWebhooksOf(sql: Sql, orgId: string, creatorId: string, now: Date): Promise<WebhookRow[]> {
  return sql<WebhookRow[]>`
    select ${columns(sql, now)} from webhooks w
    where org_id = ${orgId} and created_by = ${creatorId} order by created_at desc, id desc`;
}

export async function hasWebhook(sql: Sql, orgId: string, id: string): Promise<boolean> {
  return (await sql`select 1 from webhooks where org_id = ${orgId} and id = ${id}`).length > 0;
}

/** Where a webhook sends, and its secrets, whether or not it is active. Null: the organization has no such webhook. */
export async function findTarget(sql: Sql, orgId: string, id: string, now: Date): Promise<EventTarget | null> {
  const [row] = await sql<EventTarget[]>`
    select w.id as webhook_id, ${targetColumns(sql, now)} from webhooks w where org_id = ${orgId} and id = ${id}`;
  return row ?? null;
}

/** The columns of an `EventTarget` from the webhook `w`, apart from its id. */
export function targetColumns(sql: Sql, now: Date): ReturnType<Sql> {
  return sql`w.url, w.sealed_secret, array(
      select encode(sealed_secret, 'base64') from (${previousSecrets(sql)}) as previous where signs_until > ${now}
    ) as previous_sealed_secrets`;
}

/** Whether a webhook is active, which stays so until the transaction ends. Null: the organization has no such webhook. */
export async function lockActivity(sql: Transaction, orgId: string, id: string): Promise<boolean | null> {
  const [row] = await sql<{ is_active: boolean }[]>`
    select is_active from webhooks where org_id = ${orgId} and id = ${id} for no key update`;
  return row?.is_active ?? null;
}

export async function countWebhooks(sql: Sql, orgId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int from webhooks where org_id = ${orgId}`;
  return row?.count ?? 0;
}

export async function insertWebhook(
  sql: Sql,
  orgId: string,
  webhook: Omit<WebhookRow, 'is_active' | 'inactive_reason' | 'overlap_ends_at' | 'created_at'> & {
    readonly sealedSecret: Buffer;
  },
  now: Date,
): Promise<WebhookRow> {
  const { id, url, events, description, sealedSecret, created_by: createdBy } = webhook;
  const [row] = await sql<[WebhookRow]>`
    insert into webhooks as w (id, org_id, url, events, description, sealed_secret, created_by, created_at)
    values (${id}, ${orgId}, ${url}, ${events}, ${description}, ${sealedSecret}, ${createdBy}, ${now})
    returning ${columns(sql, now)}`;
  return row;
}

/** What changes; what is undefined stays. */
export interface WebhookChange {
  readonly url: string | undefined;
  readonly events: Schemas['WebhookEventTypes'] | undefined;
  readonly description: string | null | undefined;
  readonly isActive: boolean | undefined;
}

/** Changes a webhook that the transaction has locked. */
export async function changeWebhook(
  sql: Transaction,
  orgId: string,
  id: string,
  { url, events, description, isActive }: WebhookChange,
  now: Date,
): Promise<WebhookRow> {
  const [row] = await sql<[WebhookRow]>`
    update webhooks w set id = id
      ${url === undefined ? sql`` : sql`, url = ${url}, failing_since = null`}
      ${events === undefined ? sql`` : sql`, events = ${events}`}
      ${description === undefined ? sql`` : sql`, description = ${description}`}
      ${isActive === undefined ? sql`` : activity(sql, isActive, now)}
    where org_id = ${orgId} and id = ${id} returning ${columns(sql, now)}`;
  return row;
}

/** A repeated deactivation does not begin another pause, and an activation begins to count failures again. */
function activity(sql: Sql, isActive: boolean, now: Date): ReturnType<Sql> {
  if (isActive) return sql`, is_active = true, inactive_since = null, inactive_reason = null, failing_since = null`;
  return sql`, is_active = false, inactive_since = case when w.is_active then ${now}::timestamptz else w.inactive_since end`;
}

/** Notes that an attempt has failed, if it is the first one since the URL has accepted something. */
export async function noteFailingSince(sql: Sql, id: string, url: string, now: Date): Promise<void> {
  await sql`
    update webhooks set failing_since = ${now} where id = ${id} and url = ${url} and failing_since is null`;
}

/** A webhook that the server has deactivated. */
export interface DeactivatedWebhook {
  readonly org_id: string;
  readonly organization: string;
}

/**
 * Deactivates a webhook, unless an admin has given it another URL, or deactivated it.
 *
 * @param failingBefore only if its URL has accepted nothing since then; null: in any case
 * @returns null if it was not deactivated
 */
export async function deactivateWebhook(
  sql: Transaction,
  { id, url, reason }: { readonly id: string; readonly url: string; readonly reason: InactiveReason },
  failingBefore: Date | null,
  now: Date,
): Promise<DeactivatedWebhook | null> {
  const [row] = await sql<DeactivatedWebhook[]>`
    update webhooks w set is_active = false, inactive_since = ${now}, inactive_reason = ${reason}
    from organizations o
    where w.id = ${id} and w.url = ${url} and w.is_active and o.id = w.org_id
      ${failingBefore === null ? sql`` : sql`and w.failing_since <= ${failingBefore}`}
    returning w.org_id, o.name as organization`;
  return row ?? null;
}

/** How many replaced secrets of a webhook may sign as well. */
export const mostPreviousSecrets = 4;

/** The webhook already signs with the most replaced secrets that are allowed. */
export interface TooManySecrets {
  /** When the first of them ends. */
  readonly until: Date;
}

/**
 * Replaces the secret of a webhook. The replaced one signs as well until a time, and so does each one before it until
 * its time.
 *
 * @param previousUntil null: only the new secret signs
 * @returns null when the organization has no such webhook
 */
export async function replaceSecret(
  sql: Transaction,
  orgId: string,
  id: string,
  { sealedSecret, previousUntil }: { readonly sealedSecret: Buffer; readonly previousUntil: Date | null },
  now: Date,
): Promise<WebhookRow | TooManySecrets | null> {
  const locked = await sql`select 1 from webhooks where org_id = ${orgId} and id = ${id} for no key update`;
  if (locked.length === 0) return null;
  if (previousUntil === null) await sql`delete from webhook_earlier_secrets where webhook_id = ${id}`;
  else {
    const ends = await endsOfSecrets(sql, id, now);
    const [until] = ends;
    if (until !== undefined && ends.length >= mostPreviousSecrets) return { until };
    await keepPreviousSecret(sql, id, now);
  }
  const [row] = await sql<[WebhookRow]>`
    update webhooks w set sealed_secret = ${sealedSecret}, previous_secret_until = ${previousUntil},
      previous_sealed_secret = case when ${previousUntil}::timestamptz is not null then sealed_secret end
    where id = ${id} returning ${columns(sql, now)}`;
  return row;
}

/** The ends of the replaced secrets that sign, the first one first. */
async function endsOfSecrets(sql: Sql, id: string, now: Date): Promise<Date[]> {
  const rows = await sql<{ signs_until: Date }[]>`
    select previous.signs_until from webhooks w, lateral (${previousSecrets(sql)}) as previous
    where w.id = ${id} and previous.signs_until > ${now} order by 1`;
  return rows.map((row) => row.signs_until);
}

/**
 * Keeps the previous secret, which another one is about to replace, until its end. Drops those that have ended, and all
 * earlier ones if there is no previous one: an older release has ended them.
 */
async function keepPreviousSecret(sql: Sql, id: string, now: Date): Promise<void> {
  await sql`
    delete from webhook_earlier_secrets where webhook_id = ${id}
      and (signs_until <= ${now} or (select previous_sealed_secret is null from webhooks where id = ${id}))`;
  await sql`
    insert into webhook_earlier_secrets (webhook_id, sealed_secret, signs_until)
    select id, previous_sealed_secret, previous_secret_until from webhooks
    where id = ${id} and previous_secret_until > ${now}`;
}

/**
 * The replaced secrets of the webhook `w`. Those whose `signs_until` has passed no longer sign. Earlier ones sign only
 * beside a previous one: releases before migration 027 end all by removing that.
 */
export function previousSecrets(sql: Sql): ReturnType<Sql> {
  return sql`
    select w.previous_sealed_secret as sealed_secret, w.previous_secret_until as signs_until
    union all
    select sealed_secret, signs_until from webhook_earlier_secrets
    where webhook_id = w.id and w.previous_sealed_secret is not null`;
}

function columns(sql: Sql, now: Date): ReturnType<Sql> {
  return sql`w.id, w.url, w.events, w.description, w.is_active, w.created_by, w.created_at,
    case when w.is_active then null else w.inactive_reason end as inactive_reason,
    (select max(signs_until) from (${previousSecrets(sql)}) as previous where signs_until > ${now}) as overlap_ends_at`;
}

/** @returns its URL; null when the organization has no such webhook */
export async function removeWebhook(sql: Sql, orgId: string, id: string): Promise<string | null> {
  const [row] = await sql<{ url: string }[]>`
    delete from webhooks where org_id = ${orgId} and id = ${id} returning url`;
  return row?.url ?? null;
}

/** To what the sealed secret of a webhook is bound. */
export function webhookSecretContext(id: string): string {
  return `webhook:${id}`;
}

/** The contract's `Webhook`. */
export function webhookOf({ created_at, overlap_ends_at, ...row }: WebhookRow): Schemas['Webhook'] {
  return {
    ...row,
    overlap_ends_at: overlap_ends_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  };
}
