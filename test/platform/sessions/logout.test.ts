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
  it('revokes the refresh token and is recorded for the user', async () => {
    const user = await platform.signUp();
    const reply = await logout(user.refreshToken, user.accessToken);
    expect(reply).toMatchObject(done);
    const revoked = (await storedRefreshTokens(platform, user.userId)).filter(
      (each) => each.revocation_reason !== null,
    );
    expect(revoked).toMatchObject([{ revocation_reason: 'logout' }]);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'LOGOUT', user_id: user.userId, org_id: user.orgId, resource_id: revoked[0]?.family_id },
    ]);
    expect((await refresh(platform, user.refreshToken)).status).toBe(401);
  });

  it('works without a bearer token, and leaves no record then', async () => {
    const user = await platform.signUp({ organization: null });
    const reply = await logout(user.refreshToken);
    expect(reply).toMatchObject(done);
    expect(await storedRefreshTokens(platform, user.userId)).toMatchObject([{ revocation_reason: 'logout' }]);
    expect(await auditOf(platform, reply)).toEqual([]);
  });

  it('works with a bearer token that does not hold, as without one', async () => {
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

  it('leaves other sessions and the access token as they are', async () => {
    const user = await platform.signUp({ organization: null });
    const other = await login(platform, user.email);
    await logout(user.refreshToken, user.accessToken);
    expect((await refresh(platform, other.body.refresh_token)).status).toBe(200);
    expect((await me(platform, user.accessToken)).status).toBe(200);
  });
});
