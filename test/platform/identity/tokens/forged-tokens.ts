import { createHmac } from 'node:crypto';
import { exportSPKI, generateKeyPair, importJWK, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';
import { generateSigningKey } from '../../../../src/platform/identity/tokens/key-ring.js';

/** The keys of a test server, so that a test can sign whatever it likes with the right key. */
export interface Forge {
  readonly kid: string;
  /** For the setting JWT_PRIVATE_KEYS. */
  readonly setting: string;
  /** Signs claims with the right key, whatever they are. */
  sign(claims: JWTPayload, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

export async function createForge(): Promise<Forge> {
  const signingKey = await generateSigningKey();
  const key = (await importJWK(signingKey.privateJwk, 'ES256')) as CryptoKey; // an EC key is never a byte array
  return {
    kid: signingKey.kid,
    setting: JSON.stringify({ keys: [{ ...signingKey.privateJwk, kid: signingKey.kid }] }),
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: signingKey.kid, typ: 'JWT', ...header }).sign(key),
  };
}

/** Signs with a key of the right kind that is not the server's, under the id of the server's. */
export async function signedByAnotherKey(claims: JWTPayload, kid: string): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256');
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
}

/** A JWT without a signature (RFC 7519, section 6). */
export function unsigned(claims: JWTPayload, kid: string): string {
  return `${partOf({ alg: 'none', kid })}.${partOf(claims)}.`;
}

/** Signs with HMAC, with the public key as the shared secret: the algorithm confusion of RFC 8725, section 2.1. */
export async function signedWithPublicKey(claims: JWTPayload, jwk: JWK, secret: 'jwk' | 'pem'): Promise<string> {
  const key = (await importJWK(jwk, 'ES256', { extractable: true })) as CryptoKey; // an EC key is never a byte array
  const text = secret === 'pem' ? await exportSPKI(key) : JSON.stringify(jwk);
  const signed = `${partOf({ alg: 'HS256', kid: jwk.kid })}.${partOf(claims)}`;
  return `${signed}.${createHmac('sha256', text).update(signed).digest('base64url')}`;
}

function partOf(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
