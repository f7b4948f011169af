import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { me, refresh } from '../auth/requests.js';
import { auditOf, storedRefreshTokens } from '../auth/stored.js';

const day = 86_400;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const invalid = {
  status: 401,
  body: { type: '/problems/invalid-refresh-token', message: 'Invalid or expired refresh token' },
};

describe('a refresh', () => {
  it('gives a new pair for the same organization, and the user', async () => {
    const user = await platform.signUp();
    const { status, body } = await refresh(platform, user.refreshToken);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      token_type: 'bearer',
      expires_in: 900,
      user: { id: user.userId, email: user.email, org_id: user.orgId, role: 'owner' },
    });
    expect(body.refresh_token).not.toBe(user.refreshToken);
    expect((await me(platform, body.access_token)).body.org_id).toBe(user.orgId);
  });

  it('rotates: the old token is revoked, the new one is active in the same family', async () => {
    const user = await platform.signUp({ organization: null });
    const { body } = await refresh(platform, user.refreshToken);
    const [old, next, ...others] = await storedRefreshTokens(platform, user.userId);
    expect(others).toEqual([]);
    expect(old).toMatchObject({ revocation_reason: 'rotated' });
    expect(next).toMatchObject({ revocation_reason: null, family_id: old?.family_id });
    expect(decodeJwt(body.refresh_token as string)['family_id']).toBe(old?.family_id);
  });

  it('is recorded as a login with its note', async () => {
    const user = await platform.signUp();
    expect(await auditOf(platform, await refresh(platform, user.refreshToken))).toMatchObject([
      { action: 'LOGIN', note: 'Access token refreshed', user_id: user.userId, org_id: user.orgId, status: 'success' },
    ]);
  });

  it('works without an organization', async () => {
    const user = await platform.signUp({ organization: null });
    const { body } = await refresh(platform, user.refreshToken);
    expect(body.user).toMatchObject({ org_id: null, role: null });
    expect(decodeJwt(body.access_token as string)).not.toHaveProperty('org_id');
  });

  it('reads the current role', async () => {
    const owner = await platform.signUp();
    const user = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    await platform.database.sql`update memberships set role = 'admin' where user_id = ${user.userId}`;
    expect((await refresh(platform, user.refreshToken)).body.user.role).toBe('admin');
  });

  it('gives orgless tokens to a member who was removed', async () => {
    const owner = await platform.signUp();
    const user = await platform.signUp({ invitedBy: owner });
    const path = `/api/v1/organizations/${owner.orgId}/members/${user.userId}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(200);
    const { status, body } = await refresh(platform, user.refreshToken);
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ org_id: null, role: null });
    expect(decodeJwt(body.refresh_token as string)).not.toHaveProperty('org_id');
    expect((await storedRefreshTokens(platform, user.userId)).at(-1)?.org_id).toBeNull();
  });

  it('is refused to a disabled user, and ends the session', async () => {
    const user = await platform.signUp({ organization: null });
    await platform.database.sql`update users set is_active = false where id = ${user.userId}`;
    expect(await refresh(platform, user.refreshToken)).toMatchObject(invalid);
    const stored = await storedRefreshTokens(platform, user.userId);
    expect(stored).toHaveLength(1);
    expect(stored[0]?.revocation_reason).not.toBeNull();
  });

  it('is refused when the user was deleted', async () => {
    const user = await platform.signUp({ organization: null });
    await platform.database.sql`delete from users where id = ${user.userId}`;
    expect(await refresh(platform, user.refreshToken)).toMatchObject(invalid);
  });

  it.each(['nonsense', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.'])('is refused with %s', async (token) => {
    expect(await refresh(platform, token)).toMatchObject(invalid);
  });

  it('is refused with an access token', async () => {
    const user = await platform.signUp({ organization: null });
    expect(await refresh(platform, user.accessToken)).toMatchObject(invalid);
    expect(await storedRefreshTokens(platform, user.userId)).toMatchObject([{ revocation_reason: null }]);
  });
});

describe('the life of a session', () => {
  it('slides: each refresh is good for 7 more days', async () => {
    const user = await platform.signUp({ organization: null });
    platform.clock.advance(6 * day);
    const first = await refresh(platform, user.refreshToken);
    platform.clock.advance(6 * day);
    expect((await refresh(platform, first.body.refresh_token)).status).toBe(200);
  });

  it('ends when nobody refreshes for 7 days', async () => {
    const user = await platform.signUp({ organization: null });
    platform.clock.advance(7 * day + 1);
    expect(await refresh(platform, user.refreshToken)).toMatchObject(invalid);
  });

  it('ends after 30 days, however often it is refreshed', async () => {
    const user = await platform.signUp({ organization: null });
    let token: string = user.refreshToken;
    for (let week = 0; week < 4; week += 1) {
      platform.clock.advance(7 * day - 60);
      token = (await refresh(platform, token)).body.refresh_token as string;
    }
    const last = (await storedRefreshTokens(platform, user.userId)).at(-1);
    expect(last?.expires_at).toEqual(last?.family_expires_at);
    platform.clock.advance(2 * day - 60);
    const almost = await refresh(platform, token);
    expect(almost.status).toBe(200);
    platform.clock.advance(10 * 60);
    expect(await refresh(platform, almost.body.refresh_token)).toMatchObject(invalid);
  });
});
