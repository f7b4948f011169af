import { createLocalJWKSet, exportJWK, generateKeyPair, importJWK, calculateJwkThumbprint } from 'jose';
import type { CryptoKey, JWK, JWTVerifyGetKey } from 'jose';
import type { Schemas } from '../../../../generated/platform/operations.js';
import { SettingError } from '../../server/settings/setting.js';

export const signingAlgorithm = 'ES256';

/** The token keys: one signs, all verify. */
export interface KeyRing {
  readonly signing: { readonly kid: string; readonly key: CryptoKey };
  /** Finds the key named in a token, for jose. */
  readonly verification: JWTVerifyGetKey;
  /** The reply of the JWKS endpoint. */
  readonly publicKeys: { readonly keys: PublicKey[] };
}

/** A public key as the contract publishes it. */
export type PublicKey = Schemas['JsonWebKey'];

/** A private key as a JWK with its id. */
export interface SigningKey {
  readonly kid: string;
  readonly privateJwk: JWK;
}

/** Creates a new ES256 key (RFC 7518, section 3.4). Its id is its thumbprint (RFC 7638). */
export async function generateSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const privateJwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(privateJwk), privateJwk };
}

/**
 * Creates a key ring.
 *
 * @param signing the key that signs new tokens
 * @param retired public keys that only verify, until the last token they signed has expired
 */
export async function createKeyRing(signing: SigningKey, retired: readonly PublicKey[]): Promise<KeyRing> {
  const publicKeys = { keys: [publicPart(signing), ...retired] };
  return {
    signing: { kid: signing.kid, key: await privateKeyOf(signing.privateJwk) },
    verification: createLocalJWKSet(publicKeys),
    publicKeys,
  };
}

/** The public half of a key, for the JWKS endpoint and the database. */
export function publicPart({ kid, privateJwk }: SigningKey): PublicKey {
  const { kty, crv, x, y } = privateJwk;
  if (kty !== 'EC' || crv !== 'P-256' || x === undefined || y === undefined) throw new Error('not an ES256 key');
  return { kty: 'EC', crv, x, y, kid, alg: signingAlgorithm, use: 'sig' };
}

/**
 * Parses the setting `JWT_PRIVATE_KEYS`.
 *
 * @throws SettingError when it is not a JWK set of ES256 private keys
 */
export async function parseSigningKeys(text: string): Promise<[SigningKey, ...SigningKey[]]> {
  try {
    const set: unknown = JSON.parse(text);
    const keys: unknown = typeof set === 'object' && set !== null && 'keys' in set ? set.keys : undefined;
    const parsed = await Promise.all((Array.isArray(keys) ? (keys as JWK[]) : []).map(parseSigningKey));
    const [first, ...others] = parsed;
    if (first === undefined) throw new Error('no key');
    return [first, ...others];
  } catch {
    // The cause is not repeated, because its message would contain parts of the key.
    throw new SettingError('JWT_PRIVATE_KEYS must be a JWK set {"keys": [...]} of ES256 (P-256) private keys');
  }
}

async function parseSigningKey(jwk: JWK): Promise<SigningKey> {
  const { kty, crv, x, y, d } = jwk;
  const privateJwk = { kty, crv, x, y, d } as JWK; // importJWK below rejects invalid keys
  await privateKeyOf(privateJwk);
  const signingKey = { kid: jwk.kid ?? (await calculateJwkThumbprint(privateJwk)), privateJwk };
  publicPart(signingKey);
  return signingKey;
}

async function privateKeyOf(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, signingAlgorithm);
  if (key instanceof Uint8Array || key.type !== 'private') throw new Error('not a private key');
  return key;
}
