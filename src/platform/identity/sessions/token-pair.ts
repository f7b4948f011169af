import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { AccountInOrganization } from '../accounts/accounts.store.js';
import { addressOf } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { after } from '../../clock.js';
import { accessTokenSeconds, refreshFamilySeconds, refreshTokenSeconds } from '../tokens/lifetimes.js';
import { hashToken } from '../tokens/token-hash.js';
import type { RefreshClaims } from '../tokens/claims.js';
import { insertRefreshToken, useActiveToken, type FamilyFacts, type Successor } from './refresh-tokens.store.js';

export type TokenPair = Schemas['Tokens'];

/**
 * The state of a session in the database, from which its tokens are signed. Signing happens after the commit, so that
 * no transaction holds a connection during it.
 */
export interface SessionState {
  readonly account: AccountInOrganization;
  readonly refresh: RefreshClaims;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** The session ended while its request was being handled. Reported as 401. */
export class SessionEnded extends Error {
  override name = 'SessionEnded';
}

/** What a session begins with. */
export interface SessionBeginning {
  /** When the second factor was proved; null: it was not. */
  readonly secondFactorAt: Date | null;
  /** The id of the session, if it was chosen before. */
  readonly familyId?: string;
}

/** Starts a session: a new family of refresh tokens, in the caller's transaction. */
export async function startSession(
  sql: Sql,
  account: AccountInOrganization,
  { secondFactorAt, familyId: chosen }: SessionBeginning,
  context: RequestContext,
  { random, clock }: PlatformDependencies,
): Promise<SessionState> {
  const now = clock.now();
  const familyId = chosen ?? random.uuid();
  const refresh = { userId: account.id, orgId: account.org_id, familyId, jti: random.uuid() };
  const family = {
    ...{ family_created_at: now, family_expires_at: after(now, refreshFamilySeconds), in_browser: false },
    ...{ second_factor_at: secondFactorAt, proved_at: null },
  };
  return storeToken(sql, { account, refresh, family, now }, context);
}

/**
 * Moves a session to another scope: replaces its refresh token by one for the organization of `account`. The session
 * remains the same, so its end also ends these tokens. Runs in the caller's transaction, under the user's lock.
 *
 * @throws SessionEnded when the session ended after the request was authenticated; the transaction rolls back
 */
export async function rescopeSession(
  sql: Sql,
  familyId: string,
  account: AccountInOrganization,
  context: RequestContext,
  { random, clock, secrets }: PlatformDependencies,
): Promise<SessionState> {
  const now = clock.now();
  const refresh = { userId: account.id, orgId: account.org_id, familyId, jti: random.uuid() };
  const family = await useActiveToken(sql, refresh, successorOf(refresh, secrets), now);
  if (family === null) throw new SessionEnded();
  return storeToken(sql, { account, refresh, family, now }, context);
}

/** A successor, as its predecessor refers to it. */
export function successorOf(
  { familyId, jti }: Pick<RefreshClaims, 'familyId' | 'jti'>,
  secrets: PlatformDependencies['secrets'],
): Successor {
  return { hash: hashToken(jti), sealed: secrets.seal(jti, sealContextOf(familyId)) };
}

/** The context to which a sealed successor is bound. */
export function sealContextOf(familyId: string): string {
  return `refresh_token:${familyId}`;
}

/** Stores a refresh token. It expires with its family or earlier. */
export async function storeToken(
  sql: Sql,
  token: {
    readonly account: AccountInOrganization;
    readonly refresh: RefreshClaims;
    readonly family: FamilyFacts;
    readonly now: Date;
  },
  context: RequestContext,
): Promise<SessionState> {
  const { account, refresh, family, now } = token;
  const slidEnd = after(now, refreshTokenSeconds);
  const expiresAt = slidEnd < family.family_expires_at ? slidEnd : family.family_expires_at;
  await insertRefreshToken(sql, {
    token_hash: hashToken(refresh.jti),
    family_id: refresh.familyId,
    user_id: refresh.userId,
    org_id: refresh.orgId,
    created_at: now,
    expires_at: expiresAt,
    ...family,
    ip: addressOf(context),
    user_agent: context.userAgent,
  });
  return { account, refresh, issuedAt: now, expiresAt };
}

/** The contract's `Tokens`: signs the pair of a session. */
export async function tokenPair(session: SessionState, { tokens }: PlatformDependencies): Promise<TokenPair> {
  const { account, refresh, issuedAt, expiresAt } = session;
  const { org_id: orgId, role } = account;
  const [accessToken, refreshToken] = await Promise.all([
    tokens.issueAccessToken({
      userId: account.id,
      email: account.email,
      isSuperuser: account.is_superuser,
      tokenVersion: account.token_version,
      membership: orgId === null || role === null ? null : { orgId, role },
      sessionId: refresh.familyId,
    }),
    tokens.issueRefreshToken(refresh, issuedAt, expiresAt),
  ]);
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'bearer',
    expires_in: accessTokenSeconds,
  };
}
