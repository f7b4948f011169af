import type { Schemas } from '../../../generated/platform/operations.js';
import type { Sql } from '../../database/connection.js';
import type { Position } from '../paging.js';

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly events: Schemas['WebhookEventTypes'];
  readonly description: string | null;
  readonly is_active: boolean;
  /** Null once the overlap of the latest rotation has ended. */
  readonly overlap_ends_at: Date | null;
  readonly created_by: string | null;
  readonly created_at: Date;
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
    select ${columns(sql, now)} from webhooks
    where org_id = ${orgId} ${position === null ? sql`` : sql`and (created_at, id) < (${position.at}, ${position.id})`}
    order by created_at desc, id desc limit ${limit}`;
}

export async function hasWebhook(sql: Sql, orgId: string, id: string): Promise<boolean> {
  return (await sql`select 1 from webhooks where org_id = ${orgId} and id = ${id}`).length > 0;
}

export async function countWebhooks(sql: Sql, orgId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int from webhooks where org_id = ${orgId}`;
  return row?.count ?? 0;
}

export async function insertWebhook(
  sql: Sql,
  orgId: string,
  webhook: Omit<WebhookRow, 'is_active' | 'overlap_ends_at' | 'created_at'> & { readonly sealedSecret: Buffer },
  now: Date,
): Promise<WebhookRow> {
  const { id, url, events, description, sealedSecret, created_by: createdBy } = webhook;
  const [row] = await sql<[WebhookRow]>`
    insert into webhooks (id, org_id, url, events, description, sealed_secret, created_by, created_at)
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

/** @returns null when the organization has no such webhook */
export async function changeWebhook(
  sql: Sql,
  orgId: string,
  id: string,
  { url, events, description, isActive }: WebhookChange,
  now: Date,
): Promise<WebhookRow | null> {
  const [row] = await sql<WebhookRow[]>`
    update webhooks set id = id
      ${url === undefined ? sql`` : sql`, url = ${url}`}
      ${events === undefined ? sql`` : sql`, events = ${events}`}
      ${description === undefined ? sql`` : sql`, description = ${description}`}
      ${isActive === undefined ? sql`` : sql`, is_active = ${isActive}`}
    where org_id = ${orgId} and id = ${id} returning ${columns(sql, now)}`;
  return row ?? null;
}

/**
 * Replaces the secret of a webhook. The replaced one signs as well until a time.
 *
 * @returns null when the organization has no such webhook
 */
export async function replaceSecret(
  sql: Sql,
  orgId: string,
  id: string,
  { sealedSecret, previousUntil }: { readonly sealedSecret: Buffer; readonly previousUntil: Date },
  now: Date,
): Promise<WebhookRow | null> {
  const [row] = await sql<WebhookRow[]>`
    update webhooks set sealed_secret = ${sealedSecret},
      previous_sealed_secret = case when ${previousUntil}::timestamptz > ${now} then sealed_secret end,
      previous_secret_until = case when ${previousUntil}::timestamptz > ${now} then ${previousUntil}::timestamptz end
    where org_id = ${orgId} and id = ${id} returning ${columns(sql, now)}`;
  return row ?? null;
}

function columns(sql: Sql, now: Date): ReturnType<Sql> {
  return sql`id, url, events, description, is_active, created_by, created_at,
    case when previous_secret_until > ${now} then previous_secret_until end as overlap_ends_at`;
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
