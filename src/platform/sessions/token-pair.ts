import type { RequestContext } from '../../../generated/contract.js';
import type { Schemas } from '../../../generated/platform/operations.js';
import type { Sql } from '../../database/connection.js';
import type { AccountInOrganization } from '../accounts/accounts.store.js';
import { addressOf } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { after } from '../surroundings.js';
import { accessTokenSeconds, refreshFamilySeconds, refreshTokenSeconds } from '../tokens/lifetimes.js';
import { hashToken } from '../tokens/token-hash.js';
import { insertRefreshToken } from './refresh-tokens.store.js';

export type TokenPair = Schemas['Tokens'];

/** Starts a session: a new family of refresh tokens, in the caller's transaction. */
export async function startSession(
  sql: Sql,
  account: AccountInOrganization,
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<TokenPair> {
  const { random, clock, tokens } = dependencies;
  const now = clock.now();
  const familyExpiresAt = after(now, refreshFamilySeconds);
  const familyId = random.uuid();
  const jti = random.uuid();
  const expiresAt = after(now, refreshTokenSeconds);
  await insertRefreshToken(sql, {
    token_hash: hashToken(jti),
    family_id: familyId,
    user_id: account.id,
    org_id: account.org_id,
    created_at: now,
    expires_at: expiresAt,
    family_created_at: now,
    family_expires_at: familyExpiresAt,
    ip: addressOf(context),
    user_agent: context.userAgent,
  });
  const claims = { userId: account.id, orgId: account.org_id, familyId, jti };
  return tokenPair(account, await tokens.issueRefreshToken(claims, now, expiresAt), dependencies);
}

/** The contract's `Tokens`: a new access token for `account`, beside its refresh token. */
export async function tokenPair(
  account: AccountInOrganization,
  refreshToken: string,
  { tokens }: PlatformDependencies,
): Promise<TokenPair> {
  const { org_id: orgId, role } = account;
  const accessToken = await tokens.issueAccessToken({
    userId: account.id,
    email: account.email,
    isSuperuser: account.is_superuser,
    tokenVersion: account.token_version,
    membership: orgId === null || role === null ? null : { orgId, role },
  });
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'bearer',
    expires_in: accessTokenSeconds,
  };
}
