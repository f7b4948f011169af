import { decodeJwt, decodeProtectedHeader, type JWK, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { me, refresh } from '../auth/requests.js';
import { storedRefreshTokens } from '../auth/stored.js';
import { createForge, signedByAnotherKey, signedWithPublicKey, unsigned, type Forge } from './forged-tokens.js';

let forge: Forge;
let platform: TestPlatform;
let user: TestUser;
let jwk: JWK;
beforeAll(async () => {
  forge = await createForge();
  platform = await startTestPlatform({ environment: { JWT_PRIVATE_KEYS: forge.setting } });
  user = await platform.signUp();
  const { body } = await platform.json('GET', '/.well-known/jwks.json');
  jwk = (body.keys as [JWK])[0];
});
afterAll(() => platform.stop());

const claims = (): JWTPayload => decodeJwt(user.accessToken);
const refreshClaims = (): JWTPayload => decodeJwt(user.refreshToken);
const without = (name: string): JWTPayload =>
  Object.fromEntries(Object.entries(claims()).filter(([key]) => key !== name));

describe('an access token', () => {
  it('has the documented claims, and the id of its key', () => {
    expect(decodeProtectedHeader(user.accessToken)).toEqual({ alg: 'ES256', kid: forge.kid, typ: 'JWT' });
    const { iat = 0, exp = 0, jti, sid, ...rest } = claims();
    expect(sid).toBe(refreshClaims()['family_id']);
    expect(exp - iat).toBe(900);
    expect(jti).toMatch(/^[0-9a-f-]{36}$/);
    expect(rest).toEqual({
      type: 'access',
      sub: user.userId,
      email: user.email,
      org_id: user.orgId,
      role: 'owner',
      is_superuser: false,
      tv: 0,
      iss: 'plumbline',
      aud: 'plumbline-api',
    });
  });

  it('signed by the test with the right key and claims is accepted (control for the refusals below)', async () => {
    expect((await me(platform, await forge.sign(claims()))).status).toBe(200);
  });

  const forgeries: Readonly<Record<string, () => Promise<string> | string>> = {
    'no signature (alg none)': () => unsigned(claims(), forge.kid),
    'no signature, under the header of a good one': () => `${user.accessToken.split('.').slice(0, 2).join('.')}.`,
    'a signature by HS256 with the public key (JWK) as the secret': () => signedWithPublicKey(claims(), jwk, 'jwk'),
    'a signature by HS256 with the public key (PEM) as the secret': () => signedWithPublicKey(claims(), jwk, 'pem'),
    'a signature by another key under the same id': () => signedByAnotherKey(claims(), forge.kid),
    'the id of a key that the server does not have': () => forge.sign(claims(), { kid: 'unknown' }),
    'claims that were changed': () => {
      const [header = '', , signature = ''] = user.accessToken.split('.');
      const changed = { ...claims(), is_superuser: true };
      return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
    },
    'another issuer': () => forge.sign({ ...claims(), iss: 'somebody else' }),
    'another audience': () => forge.sign({ ...claims(), aud: 'another-api' }),
    'an end that has passed': () => forge.sign({ ...claims(), exp: Math.floor(Date.now() / 1000) - 1 }),
    'a start that lies ahead (nbf)': () => forge.sign({ ...claims(), nbf: Math.floor(Date.now() / 1000) + 600 }),
    'no end': () => forge.sign(without('exp')),
    'no issuer': () => forge.sign(without('iss')),
    'no audience': () => forge.sign(without('aud')),
    'no subject': () => forge.sign(without('sub')),
    'an empty id of its session': () => forge.sign({ ...claims(), sid: '' }),
    'the session of another user': async () => {
      const other = await platform.signUp({ organization: null });
      return forge.sign({ ...claims(), sid: decodeJwt(other.accessToken)['sid'] });
    },
    'a session that does not exist': () => forge.sign({ ...claims(), sid: '3b0f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b01' }),
    'no token version': () => forge.sign(without('tv')),
    'no type': () => forge.sign(without('type')),
    'another type': () => forge.sign({ ...claims(), type: 'refresh' }),
    'an older token version': () => forge.sign({ ...claims(), tv: -1 }),
    'an organization that the user does not belong to': () =>
      forge.sign({ ...claims(), org_id: '3b0f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b01' }),
    'a user who does not exist': () => forge.sign({ ...claims(), sub: '3b0f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b01' }),
    'the claims of a refresh token': () => user.refreshToken,
  };

  it.each(Object.entries(forgeries))('with %s is refused', async (_name, forged) => {
    const reply = await me(platform, await forged());
    expect(reply).toMatchObject({ status: 401, body: { type: '/problems/unauthenticated' } });
    expect(reply.headers.get('WWW-Authenticate')).toBe('Bearer');
  });

  it('without a key id is verified with the only key', async () => {
    expect((await me(platform, await forge.sign(claims(), { kid: undefined }))).status).toBe(200);
  });

  it('gets its role from the database and not from its claims', async () => {
    const { body } = await me(platform, await forge.sign({ ...claims(), role: 'owner', is_superuser: true }));
    expect(body).toMatchObject({ role: 'owner', is_superuser: false });
  });

  it.each(['Basic', 'Token', ''])('is not read from the scheme "%s"', async (scheme) => {
    const headers = { Authorization: `${scheme} ${user.accessToken}`.trim() };
    expect((await platform.json('GET', '/api/v1/auth/me', { headers })).status).toBe(401);
  });

  it('is read with the scheme in any case', async () => {
    const headers = { Authorization: `bEARER ${user.accessToken}` };
    expect((await platform.json('GET', '/api/v1/auth/me', { headers })).status).toBe(200);
  });
});

describe('a refresh token', () => {
  const forgeries: Readonly<Record<string, () => Promise<string> | string>> = {
    'no signature (alg none)': () => unsigned(refreshClaims(), forge.kid),
    'a signature by HS256 with the public key as the secret': () => signedWithPublicKey(refreshClaims(), jwk, 'pem'),
    'a signature by another key under the same id': () => signedByAnotherKey(refreshClaims(), forge.kid),
    'another issuer': () => forge.sign({ ...refreshClaims(), iss: 'somebody else' }),
    'another audience': () => forge.sign({ ...refreshClaims(), aud: 'another-api' }),
    'no family': () => forge.sign({ ...refreshClaims(), family_id: undefined }),
    'the type of an access token': () => forge.sign({ ...refreshClaims(), type: 'access' }),
    'the claims of an access token': () => user.accessToken,
    'an id that was never issued': () => forge.sign({ ...refreshClaims(), jti: 'never issued' }),
  };

  it.each(Object.entries(forgeries))('with %s is refused, and ends no session', async (_name, forged) => {
    const reply = await refresh(platform, await forged());
    expect(reply).toMatchObject({ status: 401, body: { message: 'Invalid or expired refresh token' } });
    const reasons = (await storedRefreshTokens(platform, user.userId)).map((each) => each.revocation_reason);
    expect(reasons).toEqual(['rotated', null]); // onboarding has replaced the token of the login
  });
});

describe('an access token stops working when', () => {
  const changes: Readonly<Record<string, (user: TestUser) => Promise<unknown>>> = {
    'the user is disabled': ({ userId }) =>
      platform.database.sql`update users set is_active = false where id = ${userId}`,
    'the user is deleted': ({ userId }) => platform.database.sql`delete from users where id = ${userId}`,
    'the password is reset': async ({ email }) => {
      await platform.json('POST', '/api/v1/auth/forgot-password', { body: { email } });
      const { token } = await platform.lastMail(email);
      const body = { token, new_password: 'nine loud harbours 9' };
      expect((await platform.json('POST', '/api/v1/auth/reset-password', { body })).status).toBe(200);
    },
    'the membership is removed': async ({ userId }) => {
      const path = `/api/v1/organizations/${user.orgId}/members/${userId}`;
      expect((await platform.json('DELETE', path, { token: user.accessToken })).status).toBe(200);
    },
    'its 15 minutes are over': () => {
      platform.clock.advance(15 * 60 + 1);
      return Promise.resolve();
    },
  };

  it.each(Object.entries(changes))('%s', async (_name, change) => {
    const member = await platform.signUp({ invitedBy: user });
    expect((await me(platform, member.accessToken)).status).toBe(200);
    await change(member);
    expect((await me(platform, member.accessToken)).status).toBe(401);
  });
});
