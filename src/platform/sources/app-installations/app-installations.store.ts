import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { noContext, recordAudit } from '../../tenancy/audit/audit.store.js';
import { secretContext, type InactiveReason } from '../integrations/integrations.store.js';
import type { HostApp } from './host-app.js';

/** A user's visit to the code host, which began in this session. */
export interface AppInstallationStart {
  readonly stateHash: Buffer;
  readonly provider: Schemas['AppHost'];
  readonly orgId: string;
  readonly userId: string;
  readonly sessionId: string;
  /** Whose existing installation to connect; null: a new one. */
  readonly account: string | null;
  readonly returnTo: string;
  /** The PKCE code verifier. */
  readonly verifierSealed: Buffer;
  readonly expiresAt: Date;
}

/** The context of a sealed verifier: it opens only for this visit. */
export function verifierContext(stateHash: Buffer): string {
  return `app-installation:${stateHash.toString('hex')}`;
}

/** Stores a visit. */
export async function insertStart(sql: Sql, start: AppInstallationStart): Promise<void> {
  const { stateHash, provider, orgId, userId, sessionId, account, returnTo, verifierSealed, expiresAt } = start;
  await sql`
    insert into app_installation_starts (state_hash, provider, org_id, user_id, session_id, account, return_to,
      verifier_sealed, expires_at)
    values (${stateHash}, ${provider}, ${orgId}, ${userId}, ${sessionId}, ${account}, ${returnTo},
      ${verifierSealed}, ${expiresAt})`;
}

/**
 * Uses up the state of a visit, also if another user sends it: a state that has come into other hands ends. Of
 * concurrent calls, one gets the visit.
 *
 * @returns null when the state is unknown, used or expired, or was begun by a server of an earlier release
 */
export async function takeStart(
  sql: Sql,
  stateHash: Buffer,
  now: Date,
): Promise<Omit<AppInstallationStart, 'stateHash' | 'expiresAt'> | null> {
  const [start] = await sql<Omit<AppInstallationStart, 'stateHash' | 'expiresAt'>[]>`
    with taken as (delete from app_installation_starts where state_hash = ${stateHash} returning *)
    select provider, org_id as "orgId", user_id as "userId", session_id as "sessionId", account,
      return_to as "returnTo", verifier_sealed as "verifierSealed"
    from taken where expires_at > ${now} and verifier_sealed is not null`;
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
 * The integration that the connection of an account continues, so that syncs that use it can continue: at a host with
 * installations one whose installation was removed, at another host the one of the same user.
 */
export async function findContinued(
  sql: Sql,
  orgId: string,
  { provider, baseUrl }: Pick<HostApp, 'provider' | 'baseUrl'>,
  account: string,
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from integrations
    where org_id = ${orgId} and kind = 'app' and provider = ${provider} and account = ${account}
      and base_url is not distinct from ${baseUrl} and (installation_id is null or inactive_reason = 'removed')
    order by created_at limit 1 for update`;
  return row?.id ?? null;
}

/** Tokens as they are stored. */
export interface SealedAccess {
  readonly sealedToken: Buffer;
  readonly sealedRefreshToken: Buffer | null;
  readonly tokenExpiresAt: Date;
}

/** The context of a sealed refresh token: it opens only for this integration. */
export function refreshContext(integrationId: string): string {
  return `${secretContext(integrationId)} refresh`;
}

/** Stores new tokens of an existing integration, and makes it active. */
export async function activate(
  sql: Sql,
  integration: { readonly id: string; readonly orgId: string; readonly installationId: string | null },
  { sealedToken, sealedRefreshToken, tokenExpiresAt }: SealedAccess,
  now: Date,
): Promise<void> {
  const { id, orgId, installationId } = integration;
  await sql`
    update integrations set installation_id = ${installationId}, secret_sealed = ${sealedToken},
      refresh_sealed = ${sealedRefreshToken}, token_expires_at = ${tokenExpiresAt},
      is_active = true, inactive_reason = null, updated_at = ${now}
    where org_id = ${orgId} and id = ${id}`;
}

/**
 * Stores what the host says about something connected, and records a change in the audit log. Call it in a transaction.
 *
 * @param connected the id of the installation, or of the integration
 * @param reason why it cannot be used; null: it can
 * @returns whether it is connected
 */
export async function noteActivity(
  sql: Sql,
  connected: { readonly installationId: string } | { readonly integrationId: string },
  reason: InactiveReason | null,
  now: Date,
): Promise<boolean> {
  const condition =
    'installationId' in connected
      ? sql`installation_id = ${connected.installationId}`
      : sql`id = ${connected.integrationId} and kind = 'app'`;
  const [integration] = await sql<{ id: string; org_id: string; inactive_reason: InactiveReason | null }[]>`
    select id, org_id, inactive_reason from integrations where ${condition} for update`;
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

/** The stored tokens of an integration by the app. */
export interface StoredAccess {
  readonly provider: Schemas['AppHost'];
  readonly installation_id: string | null;
  readonly secret_sealed: Uint8Array;
  readonly refresh_sealed: Uint8Array | null;
  readonly token_expires_at: Date;
}

/**
 * @param isLocked whether to lock them until the transaction ends. References to the integration can be added meanwhile.
 * @returns null: there is no such integration by the app
 */
export async function findAccess(sql: Sql, orgId: string, id: string, isLocked = false): Promise<StoredAccess | null> {
  const [row] = await sql<StoredAccess[]>`
    select provider, installation_id::text, secret_sealed, refresh_sealed, token_expires_at from integrations
    where org_id = ${orgId} and id = ${id} and kind = 'app'
    ${isLocked ? sql`for no key update` : sql``}`;
  return row ?? null;
}

/** Stores renewed tokens, unless the integration has got another installation meanwhile. */
export async function storeAccess(
  sql: Sql,
  key: { readonly orgId: string; readonly id: string; readonly installationId: string | null },
  { sealedToken, sealedRefreshToken, tokenExpiresAt }: SealedAccess,
): Promise<void> {
  await sql`
    update integrations set secret_sealed = ${sealedToken}, refresh_sealed = ${sealedRefreshToken},
      token_expires_at = ${tokenExpiresAt}
    where org_id = ${key.orgId} and id = ${key.id} and installation_id is not distinct from ${key.installationId}`;
}

/** Stores that an event of the host is handled. @returns false: it was handled before */
export async function insertHostEvent(sql: Sql, deliveryId: string, now: Date): Promise<boolean> {
  const inserted = await sql`
    insert into host_events (delivery_id, received_at) values (${deliveryId}, ${now})
    on conflict do nothing returning 1`;
  return inserted.length > 0;
}
