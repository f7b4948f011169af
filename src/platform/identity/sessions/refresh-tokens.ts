import type { RequestContext } from '@plumbline/contract/contract-types';
import type { RefreshTokensHandler } from '../../../../generated/platform/operations.js';
import { invalidRefreshToken, refreshTokenReused } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { findAccount, lockUser, userOf, type AccountInOrganization } from '../accounts/accounts.store.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { openOrLog } from '../../server/secrets/secret-box.js';
import { hashToken } from '../tokens/token-hash.js';
import type { RefreshClaims } from '../tokens/claims.js';
import {
  activeUntil,
  findRevokedToken,
  revokeFamily,
  useRefreshToken,
  type RevokedToken,
} from './refresh-tokens.store.js';
import { sealContextOf, storeToken, successorOf, tokenPair, type SessionState } from './token-pair.js';

/** The outcome of a refresh. It is returned instead of thrown, so that a revocation is committed. */
export type RefreshOutcome =
  | { readonly kind: 'refreshed'; readonly session: SessionState }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'reused' };

/** The conditions of a refresh, and the kind of the new token. */
export interface RefreshRules {
  /** Whether the session must be in a browser (true) or must not be (false); null: either. */
  readonly accepts: boolean | null;
  /** Whether the session is in a browser afterwards. */
  readonly inBrowser: boolean;
  /**
   * The time after its use during which a token returns the same successor again, while that is not used. A later use
   * ends the session.
   */
  readonly graceSeconds: number;
  /** Whether to write an audit record. Browsers refresh at each page load, which would hide real logins. */
  readonly isRecorded: boolean;
}

/**
 * Exchanges a refresh token for the next pair, once. Rejects the token of a browser session, which is valid only in the
 * cookie, where it has a grace period. Reuse of a token ends its whole session (RFC 9700, section 4.14.2).
 */
export const refreshTokens: RefreshTokensHandler<PlatformDependencies> = async ({ body, context }, dependencies) => {
  const { refreshReuseGraceSeconds: graceSeconds } = dependencies.settings;
  const rules = { accepts: false, inBrowser: false, graceSeconds, isRecorded: true };
  const outcome = await refreshSession(body.refresh_token, rules, context, dependencies);
  if (outcome.kind === 'invalid') return invalidRefreshToken();
  if (outcome.kind === 'reused') return refreshTokenReused();
  const { session } = outcome;
  return { status: 200, body: { ...(await tokenPair(session, dependencies)), user: userOf(session.account) } };
};

/** Replaces a refresh token by its successor. */
export async function refreshSession(
  token: string,
  rules: RefreshRules,
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<RefreshOutcome> {
  const claims = await dependencies.tokens.verifyRefreshToken(token);
  if (claims === null) return { kind: 'invalid' };
  return dependencies.sql.begin((transaction) => refresh(transaction, claims, rules, context, dependencies));
}

async function refresh(
  sql: Sql,
  claims: RefreshClaims,
  rules: RefreshRules,
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<RefreshOutcome> {
  const { clock, random, secrets } = dependencies;
  const now = clock.now();
  const { userId, familyId } = claims;
  await lockUser(sql, userId);
  const next = { userId, familyId, jti: random.uuid() };
  const successor = successorOf(next, secrets);
  const family = await useRefreshToken(sql, hashToken(claims.jti), claims, successor, rules.accepts, now);
  if (family === null) return replay(sql, claims, rules, context, dependencies);

  // Reads the membership again: a user who was removed from the organization gets orgless tokens.
  const account = await findAccount(sql, userId, claims.orgId, familyId);
  if (account?.is_active !== true) {
    await revokeFamily(sql, { familyId, userId }, 'account_disabled', now);
    return { kind: 'invalid' };
  }
  const refresh = { ...next, orgId: account.org_id };
  const session = await storeToken(
    sql,
    { account, refresh, family: { ...family, in_browser: rules.inBrowser }, now },
    context,
  );
  if (rules.isRecorded) await recordRefresh(sql, context, now, account);
  return { kind: 'refreshed', session };
}

/**
 * Handles a token that was used before, is unknown, or belongs to a session of the other kind. Within the grace period,
 * returns its successor again, if that matches `rules`.
 */
async function replay(
  sql: Sql,
  claims: RefreshClaims,
  rules: RefreshRules,
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<RefreshOutcome> {
  const { clock, secrets, log } = dependencies;
  const now = clock.now();
  const used = await findRevokedToken(sql, hashToken(claims.jti), claims);
  if (used === null) return { kind: 'invalid' };
  const { userId, familyId } = claims;

  const isRepeated = isWithinGrace(used, now, rules.graceSeconds);
  const jti = isRepeated ? openOrLog({ secrets, log }, used.successor_sealed, sealContextOf(familyId)) : null;
  if (isRepeated && jti === null) return { kind: 'invalid' };
  const expiresAt = jti === null ? null : await activeUntil(sql, hashToken(jti), rules.inBrowser, now);
  const account = expiresAt === null ? null : await findAccount(sql, userId, claims.orgId, familyId);
  if (jti !== null && expiresAt !== null && account?.is_active === true) {
    if (rules.isRecorded) await recordRefresh(sql, context, now, account);
    const refresh = { userId, orgId: account.org_id, familyId, jti };
    return { kind: 'refreshed', session: { account, refresh, issuedAt: now, expiresAt } };
  }

  // A token of a session that has ended does not prove a theft: clients retry after a logout.
  if (await revokeFamily(sql, { familyId, userId }, 'reuse', now)) {
    await recordAudit(sql, context, now, {
      action: 'REFRESH_TOKEN_REUSED',
      resourceKind: 'SESSION',
      resourceId: familyId,
      orgId: used.org_id,
      userId,
      status: 'failure',
    });
  }
  return { kind: 'reused' };
}

function isWithinGrace(
  used: RevokedToken,
  now: Date,
  graceSeconds: number,
): used is RevokedToken & { readonly successor_sealed: Uint8Array } {
  const isRotated = used.revocation_reason === 'rotated' && used.successor_sealed !== null;
  return isRotated && graceSeconds > 0 && now.getTime() - used.revoked_at.getTime() <= graceSeconds * 1000;
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
