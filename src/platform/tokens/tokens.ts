import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { after, type Clock, type Random } from '../surroundings.js';
import { signingAlgorithm, type KeyRing } from './key-ring.js';
import { accessTokenSeconds } from './lifetimes.js';
import { createVerifiedTokens } from './verified-tokens.js';

/** Whom an access token is for. */
export interface AccessSubject {
  readonly userId: string;
  readonly email: string;
  readonly isSuperuser: boolean;
  readonly tokenVersion: number;
  readonly membership: { readonly orgId: string; readonly role: string } | null;
}

/** What a verified access token says; the database has the last word on all of it. */
export interface AccessClaims {
  readonly userId: string;
  readonly orgId: string | null;
  readonly tokenVersion: number;
  readonly expiresAt: Date;
}

/** What a refresh token says. */
export interface RefreshClaims {
  readonly userId: string;
  readonly orgId: string | null;
  readonly familyId: string;
  readonly jti: string;
}

/** Issues and verifies the JWTs of this installation. */
export interface Tokens {
  issueAccessToken(subject: AccessSubject): Promise<string>;
  issueRefreshToken(claims: RefreshClaims, issuedAt: Date, expiresAt: Date): Promise<string>;
  /** @returns null when the token is not one of ours that holds now, whatever the reason */
  verifyAccessToken(token: string): Promise<AccessClaims | null>;
  verifyRefreshToken(token: string): Promise<RefreshClaims | null>;
}

export interface TokenOptions {
  /** Answers with the ring as it is now; `refresh` asks for it to be read again, for a key that it does not have. */
  readonly keyRing: (refresh: boolean) => Promise<KeyRing>;
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Tokens signed with ES256 (RFC 7518). Verification allows that algorithm alone, and demands issuer, audience, expiry
 * and the claim `type`, so that no token passes for one of the other kind (RFC 8725, sections 3.1 and 3.11).
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
        // Another server may have rotated the keys a moment ago: look once more before refusing.
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
      const { email, isSuperuser, tokenVersion, membership } = subject;
      const organization = membership === null ? {} : { org_id: membership.orgId, role: membership.role };
      const claims = { type: 'access', email, is_superuser: isSuperuser, tv: tokenVersion, ...organization };
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
      const claims = await verify(token, 'access');
      if (claims === null || typeof claims['tv'] !== 'number') return null;
      const { sub, exp } = claims;
      if (sub === undefined || exp === undefined) return null;
      const access = {
        userId: sub,
        orgId: textOrNull(claims['org_id']),
        tokenVersion: claims['tv'],
        expiresAt: new Date(exp * 1000),
      };
      verified.remember(token, ring, access);
      return access;
    },
    verifyRefreshToken: async (token) => {
      const claims = await verify(token, 'refresh');
      const familyId = textOrNull(claims?.['family_id']);
      if (claims?.sub === undefined || claims.jti === undefined || familyId === null) return null;
      return { userId: claims.sub, orgId: textOrNull(claims['org_id']), familyId, jti: claims.jti };
    },
  };
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

function textOrNull(claim: unknown): string | null {
  return typeof claim === 'string' ? claim : null;
}
