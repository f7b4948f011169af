import type { RequestContext } from '../../../generated/contract.js';
import type { RefreshTokensHandler } from '../../../generated/platform/operations.js';
import { invalidRefreshToken, refreshTokenReused } from '../../../generated/problems.js';
import type { Sql } from '../../database/connection.js';
import { findAccount, lockUser, userOf, type AccountInOrganization } from '../accounts/accounts.store.js';
import { addressOf, recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { after } from '../surroundings.js';
import { refreshTokenSeconds } from '../tokens/lifetimes.js';
import { hashToken } from '../tokens/token-hash.js';
import type { RefreshClaims } from '../tokens/tokens.js';
import {
  activeUntil,
  findRevokedToken,
  insertRefreshToken,
  revokeFamily,
  useRefreshToken,
  type RevokedToken,
} from './refresh-tokens.store.js';
import { tokenPair } from './token-pair.js';

/** What one attempt to refresh came to. It is a value and not a throw, so that a revocation is kept. */
type Outcome =
  | { readonly kind: 'refreshed'; readonly account: AccountInOrganization; readonly refreshToken: string }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'reused' };

/**
 * Exchanges a refresh token for the next pair, once. A token that comes back after it was used ends its whole session
 * (RFC 9700, section 4.14.2).
 */
export const refreshTokens: RefreshTokensHandler<PlatformDependencies> = async ({ body, context }, dependencies) => {
  const claims = await dependencies.tokens.verifyRefreshToken(body.refresh_token);
  if (claims === null) return invalidRefreshToken();
  const outcome = await dependencies.sql.begin((transaction) => refresh(transaction, claims, context, dependencies));
  if (outcome.kind === 'invalid') return invalidRefreshToken();
  if (outcome.kind === 'reused') return refreshTokenReused();
  const tokens = await tokenPair(outcome.account, outcome.refreshToken, dependencies);
  return { status: 200, body: { ...tokens, user: userOf(outcome.account) } };
};

async function refresh(
  sql: Sql,
  claims: RefreshClaims,
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<Outcome> {
  const { clock, random, secrets, tokens } = dependencies;
  const now = clock.now();
  const { userId, familyId } = claims;
  await lockUser(sql, userId);
  const jti = random.uuid();
  const successor = { hash: hashToken(jti), sealed: secrets.seal(jti, contextOf(familyId)) };
  const family = await useRefreshToken(sql, hashToken(claims.jti), successor, now);
  if (family === null) return replay(sql, claims, context, dependencies);

  // The membership is read anew: who was removed from the organization goes on without one.
  const account = await findAccount(sql, userId, claims.orgId);
  if (account?.is_active !== true) {
    await revokeFamily(sql, { familyId, userId }, 'account_disabled', now);
    return { kind: 'invalid' };
  }
  const expiresAt = earlier(after(now, refreshTokenSeconds), family.family_expires_at);
  await insertRefreshToken(sql, {
    token_hash: successor.hash,
    family_id: familyId,
    user_id: userId,
    org_id: account.org_id,
    created_at: now,
    expires_at: expiresAt,
    ...family,
    ip: addressOf(context),
    user_agent: context.userAgent,
  });
  await recordRefresh(sql, context, now, account);
  const next = { userId, orgId: account.org_id, familyId, jti };
  return { kind: 'refreshed', account, refreshToken: await tokens.issueRefreshToken(next, now, expiresAt) };
}

/** The token was used before, or is unknown. Within the grace period its successor is given out again. */
async function replay(
  sql: Sql,
  claims: RefreshClaims,
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<Outcome> {
  const { clock, secrets, settings, tokens } = dependencies;
  const now = clock.now();
  const used = await findRevokedToken(sql, hashToken(claims.jti));
  if (used === null) return { kind: 'invalid' };
  const { userId, familyId } = claims;

  const jti = isWithinGrace(used, now, settings.refreshReuseGraceSeconds)
    ? secrets.open(used.successor_sealed, contextOf(familyId))
    : null;
  const expiresAt = jti === null ? null : await activeUntil(sql, hashToken(jti), now);
  const account = expiresAt === null ? null : await findAccount(sql, userId, claims.orgId);
  if (jti !== null && expiresAt !== null && account?.is_active === true) {
    await recordRefresh(sql, context, now, account);
    const again = { userId, orgId: account.org_id, familyId, jti };
    return { kind: 'refreshed', account, refreshToken: await tokens.issueRefreshToken(again, now, expiresAt) };
  }

  await revokeFamily(sql, { familyId, userId }, 'reuse', now);
  await recordAudit(sql, context, now, {
    action: 'REFRESH_TOKEN_REUSED',
    resourceKind: 'SESSION',
    resourceId: familyId,
    orgId: used.org_id,
    userId,
    status: 'failure',
  });
  return { kind: 'reused' };
}

function isWithinGrace(
  used: RevokedToken,
  now: Date,
  graceSeconds: number,
): used is RevokedToken & { readonly successor_sealed: Uint8Array } {
  const isRotated = used.revocation_reason === 'rotated' && used.successor_sealed !== null;
  return isRotated && graceSeconds > 0 && now <= after(used.revoked_at, graceSeconds);
}

async function recordRefresh(
  sql: Sql,
  context: RequestContext,
  now: Date,
  account: AccountInOrganization,
): Promise<void> {
  await recordAudit(sql, context, now, {
    action: 'LOGIN',
    resourceKind: 'SESSION',
    orgId: account.org_id,
    userId: account.id,
    note: 'Access token refreshed',
  });
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}

function contextOf(familyId: string): string {
  return `refresh_token:${familyId}`;
}
