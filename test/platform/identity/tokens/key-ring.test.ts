import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { SettingError } from '../../../../src/platform/server/settings/setting.js';
import {
  createKeyRing,
  generateSigningKey,
  parseSigningKeys,
  publicPart,
} from '../../../../src/platform/identity/tokens/key-ring.js';
import { startTestPlatform } from '../../../support/platform.js';
import { me } from '../auth/requests.js';

async function privateJwk(algorithm: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return exportJWK(privateKey);
}

const setOf = (...keys: JWK[]): string => JSON.stringify({ keys });

describe('a key ring', () => {
  it('publishes public keys only', async () => {
    const [signing, retired] = [await generateSigningKey(), await generateSigningKey()];
    const { publicKeys } = await createKeyRing(signing, [publicPart(retired)]);
    expect(publicKeys.keys.map((key) => key.kid)).toEqual([signing.kid, retired.kid]);
    expect(JSON.stringify(publicKeys)).not.toContain('"d"');
  });
});

describe('JWT_PRIVATE_KEYS', () => {
  it('holds the keys in order, with their ids or their thumbprints', async () => {
    const [named, unnamed] = [{ ...(await privateJwk('ES256')), kid: 'mine' }, await privateJwk('ES256')];
    const [first, second] = await parseSigningKeys(setOf(named, unnamed));
    expect(first.kid).toBe('mine');
    expect(second?.kid).toMatch(/^[\w-]{43}$/);
  });

  const wrong: Readonly<Record<string, () => Promise<string> | string>> = {
    'no JSON': () => 'secret-but-no-json',
    'no set': () => '"secret"',
    'an empty set': () => setOf(),
    'a key of another algorithm': async () => setOf(await privateJwk('ES384')),
    'a public key': async () => {
      const { d: _private, ...jwk } = await privateJwk('ES256');
      return setOf(jwk);
    },
    'a shared secret': () => setOf({ kty: 'oct', k: 'c2VjcmV0' }),
    'a second key that is wrong': async () => setOf(await privateJwk('ES256'), { kty: 'EC' }),
  };

  it.each(Object.entries(wrong))('with %s is refused in one line that does not repeat it', async (_name, textOf) => {
    const text = await textOf();
    const error: unknown = await parseSigningKeys(text).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SettingError);
    const { message } = error as SettingError;
    expect(message).toBe('JWT_PRIVATE_KEYS must be a JWK set {"keys": [...]} of ES256 (P-256) private keys');
    expect(String((error as SettingError).cause)).toBe('undefined');
  });

  it('lets a server verify tokens signed by a key of the set that no longer signs', async () => {
    const [old, fresh] = [
      { ...(await privateJwk('ES256')), kid: 'old' },
      { ...(await privateJwk('ES256')), kid: 'new' },
    ];
    const before = await startTestPlatform({ environment: { JWT_PRIVATE_KEYS: setOf(old) } });
    const { databaseUri, mailbox } = before;
    const environment = { JWT_PRIVATE_KEYS: setOf(fresh, old) };
    const after = await startTestPlatform({ databaseUri, mailbox, environment });
    const { accessToken } = await before.signUp({ organization: null });
    expect((await me(after, accessToken)).status).toBe(200);
    const { accessToken: newToken } = await after.signUp({ organization: null });
    expect((await me(before, newToken)).status).toBe(401);
    await after.stop();
    await before.stop();
  });
});
