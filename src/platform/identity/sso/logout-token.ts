import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import { propertyOf } from '../../server/json-values.js';
import { ProviderFailure } from '../providers/identity-provider.js';
import { callTimeoutMs, failureOf, maxReplyBytes } from '../providers/provider-calls.js';
import type { OpenIdIssuer } from '../providers/open-id-issuer.js';
import { isStorableId } from './provider-ids.js';
import type { SsoConnection } from './sso-connections.store.js';

/** What a logout token says has ended: a session at the provider, all of somebody's, or one of somebody's. */
export interface LogoutToken {
  readonly jti: string;
  readonly sid: string | undefined;
  readonly subject: string | undefined;
  readonly expiresAt: Date;
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** The clocks of provider and server may differ by so much. */
const toleranceSeconds = 60;

/** The end of the year 9999, in seconds: PostgreSQL does not read later times as they are sent. */
const latestExpiry = Date.UTC(9999, 11, 31) / 1000;

/** No provider signs with the client secret, and a token without a signature proves nothing. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6) with the keys that its issuer has now.
 *
 * @returns null: it is invalid
 * @throws ProviderFailure if the keys cannot be read
 */
export async function verifyLogoutToken(
  token: string,
  connection: Pick<SsoConnection, 'issuer' | 'client_id'>,
  { issuer, outbound, now }: { readonly issuer: OpenIdIssuer; readonly outbound: OutboundFetch; readonly now: Date },
): Promise<LogoutToken | null> {
  const metadata = (await issuer.discover()).serverMetadata();
  const keys = createLocalJWKSet(await readKeys(metadata.jwks_uri, outbound));
  let claims: JWTPayload;
  try {
    ({ payload: claims } = await jwtVerify(token, keys, {
      ...{ issuer: metadata.issuer, audience: connection.client_id, algorithms, currentDate: now },
      ...{ clockTolerance: toleranceSeconds, requiredClaims: ['iat', 'exp', 'jti', 'events'] },
    }));
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
  const { jti, sid, sub: subject, exp = 0, events, nonce } = claims;
  const isLogout = typeof propertyOf(events, logoutEvent) === 'object';
  if (typeof jti !== 'string' || !isLogout || nonce !== undefined || exp > latestExpiry) return null;
  const session = typeof sid === 'string' ? sid : undefined;
  const ids = [session, subject].filter((id) => id !== undefined);
  if (ids.length === 0 || !ids.every(isStorableId)) return null;
  return {
    jti,
    sid: session,
    subject,
    expiresAt: new Date((exp + toleranceSeconds) * 1000),
  };
}

async function readKeys(url: string | undefined, outbound: OutboundFetch): Promise<JSONWebKeySet> {
  if (url === undefined) throw new ProviderFailure('the metadata names no keys');
  const limits = { timeoutMs: callTimeoutMs, maxBytes: maxReplyBytes, signal: new AbortController().signal };
  const reply = await outbound(url, { headers: { Accept: 'application/json' }, ...limits }).catch((error: unknown) => {
    throw failureOf(error);
  });
  const keys: unknown = reply.ok ? await reply.json().catch(() => null) : null;
  if (!isKeySet(keys)) throw new ProviderFailure('the keys cannot be read');
  return keys;
}

function isKeySet(value: unknown): value is JSONWebKeySet {
  const keys = propertyOf(value, 'keys');
  return Array.isArray(keys) && keys.every((key) => typeof propertyOf(key, 'kty') === 'string');
}
