import type { Sql } from '../../../database/connection.js';
import { noContext, recordAudit } from '../../tenancy/audit/audit.store.js';
import type { InactiveReason } from '../integrations/integrations.store.js';

/** A user's visit to the code host, which began in this session. */
export interface AppInstallationStart {
  readonly stateHash: Buffer;
  readonly orgId: string;
  readonly userId: string;
  readonly sessionId: string;
  /** Whose existing installation to connect; null: a new one. */
  readonly account: string | null;
  readonly returnTo: string;
  readonly expiresAt: Date;
}

/** Stores a visit. */
export async function insertStart(sql: Sql, start: AppInstallationStart): Promise<void> {
  const { stateHash, orgId, userId, sessionId, account, returnTo, expiresAt } = start;
  await sql`
    insert into app_installation_starts (state_hash, org_id, user_id, session_id, account, return_to, expires_at)
    values (${stateHash}, ${orgId}, ${userId}, ${sessionId}, ${account}, ${returnTo}, ${expiresAt})`;
}

/**
 * Uses up the state of a visit, also if another user sends it: a state that has come into other hands ends. Of
 * concurrent calls, one gets the visit.
 *
 * @returns null when the state is unknown, used or expired
 */
export async function takeStart(
  sql: Sql,
  stateHash: Buffer,
  now: Date,
): Promise<Pick<AppInstallationStart, 'orgId' | 'userId' | 'sessionId' | 'account' | 'returnTo'> | null> {
  const [start] = await sql<Pick<AppInstallationStart, 'orgId' | 'userId' | 'sessionId' | 'account' | 'returnTo'>[]>`
    with taken as (delete from app_installation_starts where state_hash = ${stateHash} returning *)
    select org_id as "orgId", user_id as "userId", session_id as "sessionId", account, return_to as "returnTo"
    from taken where expires_at > ${now}`;
  return start ?? null;
}

/** The integration that an installation is connected as, with its organization. */
export interface ConnectedInstallation {
  readonly id: string;
  readonly org_id: string;
  readonly base_url: string | null;
}

/** @returns null when the installation is not connected */
export async function findByInstallation(sql: Sql, installationId: string): Promise<ConnectedInstallation | null> {
  const [row] = await sql<ConnectedInstallation[]>`
    select id, org_id, base_url from integrations where installation_id = ${installationId}`;
  return row ?? null;
}

/**
 * The integration of an earlier installation at the same account, which the host has removed. Syncs that use it can
 * continue with a new installation.
 */
export async function findRemoved(sql: Sql, orgId: string, account: string): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from integrations
    where org_id = ${orgId} and kind = 'app' and account = ${account} and inactive_reason = 'removed'
    order by created_at limit 1 for update`;
  return row?.id ?? null;
}

/** Stores the installation of an existing integration, with a token, and makes it active. */
export async function activate(
  sql: Sql,
  integration: {
    readonly id: string;
    readonly orgId: string;
    readonly installationId: string;
    readonly sealedToken: Buffer;
    readonly tokenExpiresAt: Date;
  },
  now: Date,
): Promise<void> {
  const { id, orgId, installationId, sealedToken, tokenExpiresAt } = integration;
  await sql`
    update integrations set installation_id = ${installationId}, secret_sealed = ${sealedToken},
      token_expires_at = ${tokenExpiresAt}, is_active = true, inactive_reason = null, updated_at = ${now}
    where org_id = ${orgId} and id = ${id}`;
}

/**
 * Stores what the host says about an installation, and records a change in the audit log. Call it in a transaction.
 *
 * @param reason why it cannot be used; null: it can
 * @returns whether the installation is connected
 */
export async function noteActivity(
  sql: Sql,
  installationId: string,
  reason: InactiveReason | null,
  now: Date,
): Promise<boolean> {
  const [integration] = await sql<{ id: string; org_id: string; inactive_reason: InactiveReason | null }[]>`
    select id, org_id, inactive_reason from integrations where installation_id = ${installationId} for update`;
  if (integration === undefined) return false;
  const { id, org_id: orgId, inactive_reason: before } = integration;
  if (before === reason) return true;
  await sql`
    update integrations set is_active = ${reason === null}, inactive_reason = ${reason}, updated_at = ${now}
    where org_id = ${orgId} and id = ${id}`;
  const note = reason === null ? 'app usable again at the code host' : `app ${reason} at the code host`;
  const record = { action: 'UPDATE', resourceKind: 'INTEGRATION', resourceId: id, orgId, userId: null } as const;
  await recordAudit(sql, noContext, now, { ...record, note });
  return true;
}

/** The stored token of an installation. */
export interface StoredToken {
  readonly installation_id: string;
  readonly secret_sealed: Uint8Array;
  readonly token_expires_at: Date;
}

export async function findToken(sql: Sql, orgId: string, id: string): Promise<StoredToken | null> {
  const [row] = await sql<StoredToken[]>`
    select installation_id::text, secret_sealed, token_expires_at from integrations
    where org_id = ${orgId} and id = ${id} and kind = 'app'`;
  return row ?? null;
}

export async function storeToken(
  sql: Sql,
  key: { readonly orgId: string; readonly id: string; readonly installationId: string },
  sealedToken: Buffer,
  expiresAt: Date,
): Promise<void> {
  await sql`
    update integrations set secret_sealed = ${sealedToken}, token_expires_at = ${expiresAt}
    where org_id = ${key.orgId} and id = ${key.id} and installation_id = ${key.installationId}`;
}

/** Stores that an event of the host is handled. @returns false: it was handled before */
export async function insertHostEvent(sql: Sql, deliveryId: string, now: Date): Promise<boolean> {
  const inserted = await sql`
    insert into host_events (delivery_id, received_at) values (${deliveryId}, ${now})
    on conflict do nothing returning 1`;
  return inserted.length > 0;
}
