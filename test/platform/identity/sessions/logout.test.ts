import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { login, me, refresh } from '../auth/requests.js';
import { auditOf, storedRefreshTokens } from '../auth/stored.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

function logout(refreshToken: string, token?: string): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/logout', { token, body: { refresh_token: refreshToken } });
}

const done = { status: 200, body: { message: 'Logout successful' } };

describe('a logout', () => {
  it('ends the session and is recorded for the user', async () => {
    const user = await platform.signUp();
    const reply = await logout(user.refreshToken, user.accessToken);
    expect(reply).toMatchObject(done);
    const revoked = (await storedRefreshTokens(platform, user.userId)).filter(
      (each) => each.revocation_reason === 'logout',
    );
    expect(revoked).toHaveLength(1);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'LOGOUT', user_id: user.userId, org_id: user.orgId, resource_id: revoked[0]?.family_id },
    ]);
    expect((await refresh(platform, user.refreshToken)).status).toBe(401);
  });

  it('works without a bearer token, and is not recorded then', async () => {
    const user = await platform.signUp({ organization: null });
    const reply = await logout(user.refreshToken);
    expect(reply).toMatchObject(done);
    expect(await storedRefreshTokens(platform, user.userId)).toMatchObject([{ revocation_reason: 'logout' }]);
    expect(await auditOf(platform, reply)).toEqual([]);
  });

  it('works with an invalid bearer token, as without one', async () => {
    const user = await platform.signUp({ organization: null });
    const reply = await logout(user.refreshToken, 'nonsense');
    expect(reply).toMatchObject(done);
    expect(await storedRefreshTokens(platform, user.userId)).toMatchObject([{ revocation_reason: 'logout' }]);
    expect(await auditOf(platform, reply)).toEqual([]);
  });

  it.each(['nonsense', 'eyJhbGciOiJub25lIn0.e30.'])('answers the same to the refresh token %s', async (token) => {
    expect(await logout(token)).toMatchObject(done);
  });

  it('with an access token in place of the refresh token revokes nothing', async () => {
    const user = await platform.signUp({ organization: null });
    expect(await logout(user.accessToken)).toMatchObject(done);
    expect(await storedRefreshTokens(platform, user.userId)).toMatchObject([{ revocation_reason: null }]);
  });

  it.each([
    ['no body', undefined],
    ['an empty object', '{}'],
    ['an empty refresh token', '{"refresh_token":""}'],
    ['a refresh token of 60,000 characters', JSON.stringify({ refresh_token: 'a'.repeat(60_000) })],
    ['a refresh token that is an object', '{"refresh_token":{"of":[1,null]}}'],
    ['a refresh token with U+0000', '{"refresh_token":"\\u0000"}'],
    ['a refresh token with a lone surrogate', '{"refresh_token":"\\ud800"}'],
    ['a name with U+0000', '{"\\u0000":1}'],
    ['other properties', '{"refresh_token":"x","other":{"deep":[{}]}}'],
    ['null', 'null'],
    ['a number', '17'],
    ['a text', '"token"'],
    ['a list', '[{"refresh_token":"x"},[1]]'],
    ['deeply nested lists', `${'['.repeat(32_000)}${']'.repeat(32_000)}`],
    ['deeply nested objects', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`],
  ])('answers 200 to %s, and ends the session of the bearer token', async (_what, body) => {
    const send = (token?: string): Promise<Response> =>
      platform.fetch(`${platform.url}/api/v1/auth/logout`, {
        method: 'POST',
        headers: {
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body }),
      });
    const anonymous = await send();
    expect([anonymous.status, await anonymous.json()]).toEqual([done.status, done.body]);
    const user = await platform.signUp();
    const reply = await send(user.accessToken);
    expect([reply.status, await reply.json()]).toEqual([done.status, done.body]);
    expect((await me(platform, user.accessToken)).status).toBe(401);
    expect((await refresh(platform, user.refreshToken)).status).toBe(401);
    const sessions = await storedRefreshTokens(platform, user.userId);
    expect(await auditOf(platform, { headers: reply.headers, status: 200, body: null })).toMatchObject([
      { action: 'LOGOUT', user_id: user.userId, org_id: user.orgId, resource_id: sessions[0]?.family_id },
    ]);
  });

  it('ends the session of the refresh token and that of the bearer token', async () => {
    const user = await platform.signUp({ organization: null });
    const { body: other } = await login(platform, user.email);
    const { body: third } = await login(platform, user.email);
    const reply = await logout(other.refresh_token, user.accessToken);
    expect(reply).toMatchObject(done);
    expect((await me(platform, user.accessToken)).status).toBe(401);
    expect((await me(platform, other.access_token)).status).toBe(401);
    expect((await me(platform, third.access_token)).status).toBe(200);
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'LOGOUT' }, { action: 'LOGOUT' }]);
  });

  it('of two users with the tokens of each other at once completes', async () => {
    const [one, other] = [await platform.signUp(), await platform.signUp()];
    const replies = await Promise.all([
      logout(one.refreshToken, other.accessToken),
      logout(other.refreshToken, one.accessToken),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect((await me(platform, one.accessToken)).status).toBe(401);
    expect((await me(platform, other.accessToken)).status).toBe(401);
  });

  it('refuses a body that is not JSON', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const reply = await platform.fetch(`${platform.url}/api/v1/auth/logout`, { method: 'POST', headers, body: '{' });
    expect(reply.status).toBe(400);
  });

  it('answers the same the second time', async () => {
    const user = await platform.signUp({ organization: null });
    await logout(user.refreshToken);
    expect(await logout(user.refreshToken)).toMatchObject(done);
  });

  it('ends the session by a refresh token of it that was used before', async () => {
    const user = await platform.signUp({ organization: null });
    const { body } = await refresh(platform, user.refreshToken);
    expect(await logout(user.refreshToken)).toMatchObject(done);
    expect((await me(platform, body.access_token)).status).toBe(401);
    expect((await refresh(platform, body.refresh_token)).status).toBe(401);
  });

  it('ends the session during a refresh', async () => {
    const user = await platform.signUp({ organization: null });
    const [, ...refreshes] = await Promise.all([
      logout(user.refreshToken),
      ...Array.from({ length: 5 }, () => refresh(platform, user.refreshToken)),
    ]);
    for (const { status, body } of refreshes) {
      if (status === 200) expect((await me(platform, body.access_token)).status).toBe(401);
    }
  });

  it('does not change other sessions', async () => {
    const user = await platform.signUp({ organization: null });
    const other = await login(platform, user.email);
    await logout(user.refreshToken, user.accessToken);
    expect((await me(platform, other.body.access_token)).status).toBe(200);
    expect((await refresh(platform, other.body.refresh_token)).status).toBe(200);
  });
});
