import { decodeProtectedHeader, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecretBox } from '../../../../src/platform/server/secrets/secret-box.js';
import { rotateSigningKey } from '../../../../src/platform/identity/tokens/signing-keys.store.js';
import { startTestPlatform, type TestPlatform, type TestPlatformOptions } from '../../../support/platform.js';
import { me, login, refresh } from '../auth/requests.js';

/** The key of every test platform. */
const secrets = createSecretBox(Buffer.alloc(32, 7));
const day = 86_400;

let first: TestPlatform;
let second: TestPlatform;
beforeAll(async () => {
  first = await startTestPlatform();
  const { databaseUri, mailbox, clock } = first;
  second = await startTestPlatform({ databaseUri, mailbox, clock } satisfies TestPlatformOptions);
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const rotate = (): Promise<string> => rotateSigningKey(first.database.sql, secrets, first.clock);
const kidOf = (token: unknown): string | undefined => decodeProtectedHeader(String(token)).kid;

async function keysShownBy(platform: TestPlatform): Promise<JWK[]> {
  const { body } = await platform.json('GET', '/.well-known/jwks.json');
  return body.keys as JWK[];
}

/** Lets the time pass after which every server has looked for new keys, and the look be over. */
async function noticed(platform: TestPlatform, kid: string): Promise<void> {
  first.clock.advance(61);
  await expect.poll(async () => (await keysShownBy(platform)).map((key) => key.kid)).toContain(kid);
}

describe('the signing key', () => {
  it('is the same for all servers on a database', async () => {
    expect(await keysShownBy(first)).toEqual(await keysShownBy(second));
  });

  it('is encrypted in the database', async () => {
    const [row] = await first.database.sql<{ public_jwk: JWK; private_jwk_sealed: Buffer; kid: string }[]>`
      select kid, public_jwk, private_jwk_sealed from signing_keys where retired_at is null`;
    expect(row?.public_jwk).not.toHaveProperty('d');
    const text = secrets.open(row?.private_jwk_sealed ?? Buffer.of(), `signing_key:${row?.kid ?? ''}`);
    const { d } = JSON.parse(text) as { d: string };
    expect(row?.private_jwk_sealed.includes(d)).toBe(false);
  });

  it('is published as its public key only', async () => {
    for (const key of await keysShownBy(first)) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    }
  });
});

describe('after a rotation of the key', () => {
  it('old tokens stay valid, new ones are signed with the new key, and both keys are published', async () => {
    const user = await first.signUp();
    const kid = await rotate();
    await noticed(first, kid);
    expect((await me(first, user.accessToken)).status).toBe(200);
    const renewed = await refresh(first, user.refreshToken);
    expect(kidOf(user.accessToken)).not.toBe(kid);
    expect(kidOf(renewed.body.access_token)).toBe(kid);
    const shown = (await keysShownBy(first)).map((key) => key.kid);
    expect(shown).toEqual(expect.arrayContaining([kid, kidOf(user.accessToken)]));
  });

  it('another server accepts a token of the new key at once', async () => {
    const { email } = await first.signUp();
    const kid = await rotate();
    await noticed(first, kid);
    const { body } = await login(first, email);
    expect(kidOf(body.access_token)).toBe(kid);
    expect((await me(second, body.access_token)).status).toBe(200);
    expect((await keysShownBy(second)).map((key) => key.kid)).toContain(kid);
  });

  it('a server that has just loaded the keys accepts tokens of one that loads them next', async () => {
    const { email } = await first.signUp();
    first.clock.advance(61);
    await login(second, email);
    const kid = await rotate();
    await expect.poll(async () => (await keysShownBy(first)).map((key) => key.kid)).toContain(kid);
    const { body } = await login(first, email);
    expect((await me(second, body.access_token)).status).toBe(200);
  });

  it('the old key verifies until the last refresh token that it signed has expired', async () => {
    const { email } = await first.signUp();
    const { body } = await login(first, email);
    const kid = await rotate();
    await noticed(first, kid);
    first.clock.advance(7 * day - 120);
    expect((await refresh(first, body.refresh_token)).status).toBe(200);
  });

  it('the old key verifies tokens that a server signed with it before it noticed the new one', async () => {
    const { email } = await first.signUp();
    // `second` has its keys of a moment ago, and looks for others after a minute.
    await keysShownBy(second);
    const kid = await rotate();
    first.clock.advance(50);
    const { body } = await login(second, email);
    await noticed(first, kid);
    first.clock.advance(7 * day - 100);
    expect((await refresh(first, body.refresh_token)).status).toBe(200);
  });

  it('the old key is removed when it expires', async () => {
    const old = kidOf((await login(first, (await first.signUp()).email)).body.access_token);
    const kid = await rotate();
    await noticed(first, kid);
    first.clock.advance(8 * day);
    await expect.poll(async () => (await keysShownBy(first)).map((key) => key.kid)).not.toContain(old);
  });

  it('each of several simultaneous ones stores a key, and one of them signs', async () => {
    const kids = await Promise.all(Array.from({ length: 10 }, rotate));
    const stored = await first.database.sql<{ kid: string; retired: boolean }[]>`
      select kid, retired_at is not null as retired from signing_keys where kid in ${first.database.sql(kids)}`;
    expect(stored.map(({ kid }) => kid).sort()).toEqual([...kids].sort());
    expect(stored.filter(({ retired }) => !retired)).toHaveLength(1);
  });
});
