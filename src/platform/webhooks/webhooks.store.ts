import type { Schemas } from '../../../generated/platform/operations.js';
import type { Sql } from '../../database/connection.js';
import type { Position } from '../paging.js';

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly events: Schemas['WebhookEventTypes'];
  readonly created_by: string | null;
  readonly created_at: Date;
}

/** The webhooks of an organization, newest first. */
export async function selectWebhooks(
  sql: Sql,
  orgId: string,
  position: Position | null,
  limit: number,
): Promise<WebhookRow[]> {
  return sql<WebhookRow[]>`
    select id, url, events, created_by, created_at from webhooks
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
  webhook: WebhookRow & { readonly sealedSecret: Buffer },
): Promise<void> {
  const { id, url, events, sealedSecret, created_by: createdBy, created_at: createdAt } = webhook;
  await sql`
    insert into webhooks (id, org_id, url, events, sealed_secret, created_by, created_at)
    values (${id}, ${orgId}, ${url}, ${events}, ${sealedSecret}, ${createdBy}, ${createdAt})`;
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
export function webhookOf({ created_at: createdAt, ...row }: WebhookRow): Schemas['Webhook'] {
  return { ...row, created_at: createdAt.toISOString() };
}
