import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform } from '../../support/platform.js';
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
    expect(await logout(user.accessToken, user.accessToken)).toMatchObject(done);
    expect(await storedRefreshTokens(platform, user.userId)).toMatchObject([{ revocation_reason: null }]);
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
