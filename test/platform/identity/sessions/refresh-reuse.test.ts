import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { login, refresh, simultaneously } from '../auth/requests.js';
import { auditOf, storedRefreshTokens } from '../auth/stored.js';

const reused = {
  status: 401,
  body: { type: '/problems/refresh-token-reused', message: 'Refresh token reuse detected' },
};
const succeeded = ({ status }: JsonReply): boolean => status === 200;

describe('a reused refresh token without a grace period', () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform({ environment: { AUTH_REFRESH_REUSE_GRACE: '0' } });
  });
  afterAll(() => platform.stop());

  it('ends its session: the newest token stops working', async () => {
    const user = await platform.signUp({ organization: null });
    const { body } = await refresh(platform, user.refreshToken);
    expect(await refresh(platform, user.refreshToken)).toMatchObject(reused);
    expect(await refresh(platform, body.refresh_token)).toMatchObject(reused);
  });

  it('stores the revocation even though the request fails', async () => {
    const user = await platform.signUp({ organization: null });
    await refresh(platform, user.refreshToken);
    await refresh(platform, user.refreshToken);
    const reasons = (await storedRefreshTokens(platform, user.userId)).map((each) => each.revocation_reason);
    expect(reasons).toEqual(['rotated', 'reuse']);
  });

  it('is recorded with its session', async () => {
    const user = await platform.signUp({ organization: null });
    await refresh(platform, user.refreshToken);
    const [stored] = await storedRefreshTokens(platform, user.userId);
    expect(await auditOf(platform, await refresh(platform, user.refreshToken))).toMatchObject([
      { action: 'REFRESH_TOKEN_REUSED', resource_id: stored?.family_id, user_id: user.userId, status: 'failure' },
    ]);
  });

  it('does not change other sessions of the user', async () => {
    const user = await platform.signUp({ organization: null });
    const other = await login(platform, user.email);
    await refresh(platform, user.refreshToken);
    await refresh(platform, user.refreshToken);
    expect((await refresh(platform, other.body.refresh_token)).status).toBe(200);
  });

  it('includes a token that was logged out', async () => {
    const user = await platform.signUp({ organization: null });
    await platform.json('POST', '/api/v1/auth/logout', { body: { refresh_token: user.refreshToken } });
    expect(await refresh(platform, user.refreshToken)).toMatchObject(reused);
  });

  it('raises no alarm in the audit log after the session has ended', async () => {
    const user = await platform.signUp({ organization: null });
    const { body } = await refresh(platform, user.refreshToken);
    await platform.json('POST', '/api/v1/auth/logout', { body: { refresh_token: body.refresh_token } });
    for (const token of [user.refreshToken, String(body.refresh_token)]) {
      const reply = await refresh(platform, token);
      expect(reply).toMatchObject(reused);
      expect(await auditOf(platform, reply)).toEqual([]);
    }
  });

  it('succeeds once of fifty simultaneous uses; the others end the session', async () => {
    const user = await platform.signUp({ organization: null });
    const replies = await simultaneously(50, () => refresh(platform, user.refreshToken));
    expect(replies.filter(succeeded)).toHaveLength(1);
    expect(replies.filter(({ body }) => body.message === reused.body.message)).toHaveLength(49);
    const stored = await storedRefreshTokens(platform, user.userId);
    expect(stored.map((each) => each.revocation_reason)).toEqual(['rotated', 'reuse']);
    expect(await refresh(platform, replies.find(succeeded)?.body.refresh_token)).toMatchObject(reused);
  });
});

describe('a reused refresh token within the grace period', () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform({ environment: { AUTH_REFRESH_REUSE_GRACE: '30' } });
  });
  afterAll(() => platform.stop());

  /** What names the stored token, and its end: two JWTs for one stored token differ in their signature. */
  const identity = ({ body }: JsonReply): unknown => {
    const { jti, exp } = decodeJwt(body.refresh_token as string);
    return { jti, exp };
  };

  it('gives the same successor again, with the same end, and it works', async () => {
    const user = await platform.signUp();
    const first = await refresh(platform, user.refreshToken);
    platform.clock.advance(25);
    const second = await refresh(platform, user.refreshToken);
    expect(second).toMatchObject({ status: 200, body: { user: { org_id: user.orgId } } });
    expect(identity(second)).toEqual(identity(first));
    expect((await refresh(platform, second.body.refresh_token)).status).toBe(200);
  });

  it('stores nothing new', async () => {
    const user = await platform.signUp({ organization: null });
    await refresh(platform, user.refreshToken);
    const before = await storedRefreshTokens(platform, user.userId);
    await refresh(platform, user.refreshToken);
    expect(await storedRefreshTokens(platform, user.userId)).toEqual(before);
  });

  it('ends the session when the grace period is over', async () => {
    const user = await platform.signUp({ organization: null });
    await refresh(platform, user.refreshToken);
    platform.clock.advance(31);
    expect(await refresh(platform, user.refreshToken)).toMatchObject(reused);
  });

  it('ends the session if its successor was also used', async () => {
    const user = await platform.signUp({ organization: null });
    const first = await refresh(platform, user.refreshToken);
    await refresh(platform, first.body.refresh_token);
    expect(await refresh(platform, user.refreshToken)).toMatchObject(reused);
  });

  it('is given no successor after a logout', async () => {
    const user = await platform.signUp({ organization: null });
    const first = await refresh(platform, user.refreshToken);
    await platform.json('POST', '/api/v1/auth/logout', { body: { refresh_token: first.body.refresh_token } });
    expect(await refresh(platform, user.refreshToken)).toMatchObject(reused);
  });

  it('gives all of fifty simultaneous uses the same successor', async () => {
    const user = await platform.signUp({ organization: null });
    const replies = await simultaneously(50, () => refresh(platform, user.refreshToken));
    expect(replies.filter(succeeded)).toHaveLength(50);
    expect(new Set(replies.map((reply) => JSON.stringify(identity(reply)))).size).toBe(1);
    const stored = await storedRefreshTokens(platform, user.userId);
    expect(stored.map((each) => each.revocation_reason)).toEqual(['rotated', null]);
  });
});
