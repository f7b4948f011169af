import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { after, type Clock } from '../../clock.js';
import type { Random } from '../../random.js';
import { signingAlgorithm, type KeyRing } from './key-ring.js';
import { accessTokenSeconds } from './lifetimes.js';
import { createVerifiedTokens } from './verified-tokens.js';
import type { AccessClaims, RefreshClaims } from './claims.js';
import { isUuid } from '@plumbline/contract/system/uuid';

/** The subject of an access token. */
export interface AccessSubject {
  readonly userId: string;
  readonly email: string;
  readonly isSuperuser: boolean;
  readonly tokenVersion: number;
  readonly membership: { readonly orgId: string; readonly role: string } | null;
  /** The session that the token belongs to: the family of its refresh tokens. */
  readonly sessionId: string;
}

/** Issues and verifies the JWTs of this installation. */
export interface Tokens {
  issueAccessToken(subject: AccessSubject): Promise<string>;
  issueRefreshToken(claims: RefreshClaims, issuedAt: Date, expiresAt: Date): Promise<string>;
  /** @returns null when the token is invalid or expired, without the reason */
  verifyAccessToken(token: string): Promise<AccessClaims | null>;
  verifyRefreshToken(token: string): Promise<RefreshClaims | null>;
}

export interface TokenOptions {
  /** Returns the current key ring; `refresh` reloads it, for a key that it does not contain. */
  readonly keyRing: (refresh: boolean) => Promise<KeyRing>;
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Issues and verifies tokens signed with ES256 (RFC 7518). Verification accepts only that algorithm, and requires
 * issuer, audience, expiry and the claim `type`, so that an access token is never accepted as a refresh token, or the
 * reverse (RFC 8725, sections 3.1 and 3.11).
 */
export function createTokens({ keyRing, issuer, audience, clock, random }: TokenOptions): Tokens {
  const verified = createVerifiedTokens();
  const sign = async (claims: JWTPayload, subject: string, jti: string, from: Date, to: Date): Promise<string> => {
    const { kid, key } = (await keyRing(false)).signing;
    return new SignJWT(claims)
      .setProtectedHeader({ alg: signingAlgorithm, kid, typ: 'JWT' })
      .setSubject(subject)
      .setIssuer(issuer)
      .setAudience(audience)
      .setJti(jti)
      .setIssuedAt(secondsOf(from))
      .setExpirationTime(secondsOf(to))
      .sign(key);
  };

  const verify = async (token: string, type: 'access' | 'refresh'): Promise<JWTPayload | null> => {
    for (const refresh of [false, true]) {
      try {
        const { payload } = await jwtVerify(token, (await keyRing(refresh)).verification, {
          algorithms: [signingAlgorithm],
          issuer,
          audience,
          currentDate: clock.now(),
          requiredClaims: ['sub', 'exp', 'iat', 'jti'],
        });
        return payload['type'] === type ? payload : null;
      } catch (error) {
        // Another server may have just rotated the keys: reload once before rejecting.
        const unknownKey = error instanceof errors.JWKSNoMatchingKey && !refresh;
        if (!unknownKey && error instanceof errors.JOSEError) return null;
        if (!unknownKey) throw error;
      }
    }
    return null;
  };

  return {
    issueAccessToken: (subject) => {
      const now = clock.now();
      const { email, isSuperuser, tokenVersion, membership, sessionId: sid } = subject;
      const organization = membership === null ? {} : { org_id: membership.orgId, role: membership.role };
      const claims = { type: 'access', email, is_superuser: isSuperuser, tv: tokenVersion, sid, ...organization };
      return sign(claims, subject.userId, random.uuid(), now, after(now, accessTokenSeconds));
    },
    issueRefreshToken: ({ userId, orgId, familyId, jti }, issuedAt, expiresAt) => {
      const claims = { type: 'refresh', family_id: familyId, ...(orgId === null ? {} : { org_id: orgId }) };
      return sign(claims, userId, jti, issuedAt, expiresAt);
    },
    verifyAccessToken: async (token) => {
      const ring = await keyRing(false);
      const known = verified.find(token, ring, clock.now());
      if (known !== null) return known;
      const access = accessClaimsOf(await verify(token, 'access'));
      if (access !== null) verified.remember(token, ring, access);
      return access;
    },
    verifyRefreshToken: async (token) => refreshClaimsOf(await verify(token, 'refresh')),
  };
}

/** The end of the year 9999, in seconds: later times have no RFC 3339 form. */
const latestTime = 253_402_300_799;

/** @returns null when a claim is missing or malformed, so that it never reaches the database */
function accessClaimsOf(claims: JWTPayload | null): AccessClaims | null {
  if (claims === null) return null;
  const { sub: userId, org_id: orgId = null, sid: sessionId = null, tv: tokenVersion, iat, exp } = claims;
  if (!isUuid(userId) || !isIdOrNull(sessionId) || !isIdOrNull(orgId)) return null;
  if (!Number.isInteger(tokenVersion) || !isExpressibleTime(iat) || !isExpressibleTime(exp)) return null;
  const times = { issuedAt: new Date(iat * 1000), expiresAt: new Date(exp * 1000) };
  return { userId, orgId, tokenVersion: Number(tokenVersion), sessionId, ...times };
}

/** @returns null when a claim is missing or malformed */
function refreshClaimsOf(claims: JWTPayload | null): RefreshClaims | null {
  if (claims === null) return null;
  const { sub: userId, org_id: orgId = null, family_id: familyId, jti } = claims;
  if (!isUuid(userId) || !isUuid(familyId) || !isIdOrNull(orgId)) return null;
  return typeof jti === 'string' ? { userId, orgId, familyId, jti } : null;
}

function isIdOrNull(value: unknown): value is string | null {
  return value === null || isUuid(value);
}

/** @param seconds since 1970 */
function isExpressibleTime(seconds: number | undefined): seconds is number {
  return seconds !== undefined && seconds >= 0 && seconds <= latestTime;
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
