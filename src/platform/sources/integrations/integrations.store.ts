import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { Position } from '../../server/paging.js';

/** `app`: connected by the app of this server; the secret is the latest token. */
export type IntegrationKind = Schemas['Integration']['kind'];

/** What the code host says about an installation that cannot be used. */
export type InactiveReason = NonNullable<Schemas['Integration']['inactive_reason']>;

/** A code host that an organization is connected to, without its secret. */
export interface IntegrationRow {
  readonly id: string;
  readonly org_id: string;
  readonly provider: Schemas['CodeHost'];
  readonly kind: IntegrationKind;
  readonly name: string;
  /** Who has installed or authorized the app at the code host; null: it has a token. */
  readonly account: string | null;
  readonly base_url: string | null;
  readonly is_active: boolean;
  readonly inactive_reason: InactiveReason | null;
  readonly last_tested_at: Date | null;
  readonly last_test_ok: boolean | null;
  readonly last_test_error: string | null;
  /** null: a service token, or an account that was deleted. */
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The credential for a code host. Only `openAccess` and the sync job read it. */
export interface StoredCredential {
  readonly id: string;
  readonly provider: Schemas['CodeHost'];
  readonly kind: IntegrationKind;
  readonly base_url: string | null;
  readonly secret_sealed: Uint8Array;
}

/** The context of a sealed token: it opens only for this integration. */
export function secretContext(integrationId: string): string {
  return `integration:${integrationId}`;
}

/** The integrations of an organization, oldest first. */
export async function selectIntegrations(
  sql: Sql,
  orgId: string,
  position: Position | null,
  limit: number,
): Promise<IntegrationRow[]> {
  return sql<IntegrationRow[]>`
    select ${columns(sql)} from integrations
    where org_id = ${orgId}
      ${position === null ? sql`` : sql`and (created_at, id) > (${position.at}, ${position.id})`}
    order by created_at, id limit ${limit}`;
}

/** The integrations that a user has connected, oldest first. */
export async function selectIntegrationsOf(sql: Sql, orgId: string, creatorId: string): Promise<IntegrationRow[]> {
  return sql<IntegrationRow[]>`
    select ${columns(sql)} from integrations
    where org_id = ${orgId} and created_by = ${creatorId} order by created_at, id`;
}

/**
 * Counts the integrations of an organization. Other transactions that call this wait until this one ends, so that
 * concurrent requests cannot exceed a maximum together.
 */
export async function lockNumberOfIntegrations(sql: Sql, orgId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`plumbline integrations ${orgId}`}, 0))`;
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from integrations where org_id = ${orgId}`;
  return row?.count ?? 0;
}

/** @returns null when the organization already has one with this provider and name, or the installation is connected */
export async function insertIntegration(
  sql: Sql,
  integration: {
    readonly id: string;
    readonly orgId: string;
    readonly provider: Schemas['CodeHost'];
    readonly name: string;
    readonly baseUrl: string | null;
    readonly sealedToken: Buffer;
    /** null: a service token. */
    readonly createdBy: string | null;
    /** What was connected by the app of this server; absent: the secret is a token of a user. */
    readonly app?: {
      readonly installationId: string | null;
      readonly account: string;
      readonly sealedRefreshToken: Buffer | null;
      readonly tokenExpiresAt: Date;
    };
  },
  now: Date,
): Promise<IntegrationRow | null> {
  const { id, orgId, provider, name, baseUrl, sealedToken, createdBy, app } = integration;
  const [row] = await sql<IntegrationRow[]>`
    insert into integrations (id, org_id, provider, name, base_url, secret_sealed, created_by, created_at, updated_at,
      kind, installation_id, account, refresh_sealed, token_expires_at)
    values (${id}, ${orgId}, ${provider}, ${name}, ${baseUrl}, ${sealedToken}, ${createdBy}, ${now}, ${now},
      ${app === undefined ? 'token' : 'app'}, ${app?.installationId ?? null}, ${app?.account ?? null},
      ${app?.sealedRefreshToken ?? null}, ${app?.tokenExpiresAt ?? null})
    on conflict do nothing
    returning ${columns(sql)}`;
  return row ?? null;
}

export async function findIntegration(sql: Sql, orgId: string, id: string): Promise<IntegrationRow | null> {
  const [row] = await sql<IntegrationRow[]>`
    select ${columns(sql)} from integrations where org_id = ${orgId} and id = ${id}`;
  return row ?? null;
}

export async function findCredential(sql: Sql, orgId: string, id: string): Promise<StoredCredential | null> {
  const [row] = await sql<StoredCredential[]>`
    select id, provider, kind, base_url, secret_sealed from integrations where org_id = ${orgId} and id = ${id}`;
  return row ?? null;
}

/** Stores the outcome of a test. @param error null on success @returns false when the integration has been deleted */
export async function storeTestOutcome(
  sql: Sql,
  orgId: string,
  id: string,
  error: string | null,
  now: Date,
): Promise<boolean> {
  const updated = await sql`
    update integrations
    set last_tested_at = ${now}, last_test_ok = ${error === null}, last_test_error = ${error}, updated_at = ${now}
    where org_id = ${orgId} and id = ${id} returning 1`;
  return updated.length > 0;
}

/**
 * Locks an integration until the transaction ends. Code that adds a reference from a sync configuration locks it `for
 * key share`, so that no configuration can refer to an integration that is being deleted.
 *
 * @returns false when it does not exist
 */
export async function lockIntegration(sql: Sql, orgId: string, id: string): Promise<boolean> {
  const rows = await sql`select 1 from integrations where org_id = ${orgId} and id = ${id} for update`;
  return rows.length > 0;
}

export async function isInUse(sql: Sql, orgId: string, id: string): Promise<boolean> {
  const rows = await sql`select 1 from sync_configs where org_id = ${orgId} and integration_id = ${id} limit 1`;
  return rows.length > 0;
}

export async function deleteIntegration(sql: Sql, orgId: string, id: string): Promise<void> {
  await sql`delete from integrations where org_id = ${orgId} and id = ${id}`;
}

/** The contract's `Integration`. */
export function integrationOf(row: IntegrationRow): Schemas['Integration'] {
  const { last_test_ok: succeeded, ...same } = row;
  return {
    ...same,
    last_tested_at: row.last_tested_at?.toISOString() ?? null,
    last_test_succeeded: succeeded,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** All columns except the secret. */
function columns(sql: Sql): ReturnType<Sql> {
  return sql`id, org_id, provider, kind, name, account, base_url, is_active, inactive_reason, last_tested_at, last_test_ok,
    last_test_error, created_by, created_at, updated_at`;
}
