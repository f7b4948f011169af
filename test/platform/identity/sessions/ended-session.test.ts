import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, testPassword, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { overtake } from '../../../support/overtake.js';
import { post } from '../../../analytics/graphql/served.js';
import { login, me, refresh } from '../auth/requests.js';
import { storedMemberships, storedRefreshTokens } from '../auth/stored.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
});
afterAll(() => platform.stop());

const newPassword = 'nine loud harbours 9';

/** The ways in which a session ends. */
const ends: Readonly<Record<string, (user: TestUser) => Promise<unknown>>> = {
  'a logout': ({ refreshToken }) =>
    platform.json('POST', '/api/v1/auth/logout', { body: { refresh_token: refreshToken } }),
  'a second use of a refresh token': async ({ refreshToken }) => {
    expect((await refresh(platform, refreshToken)).status).toBe(200);
    expect((await refresh(platform, refreshToken)).status).toBe(401);
  },
  'the end of all sessions': ({ accessToken: token }) => platform.json('DELETE', '/api/v1/auth/sessions', { token }),
  'the end of this session': async ({ accessToken: token }) => {
    const { body } = await platform.json('GET', '/api/v1/auth/sessions', { token });
    const id = (body.items as [{ id: string }])[0].id;
    await platform.json('DELETE', `/api/v1/auth/sessions/${id}`, { token });
  },
  'a change of the password': ({ accessToken: token }) =>
    platform.json('POST', '/api/v1/auth/change-password', {
      token,
      body: { current_password: testPassword, new_password: newPassword },
    }),
  'a password reset': async ({ email }) => {
    await platform.json('POST', '/api/v1/auth/forgot-password', { body: { email } });
    const { token } = await platform.lastMail(email);
    await platform.json('POST', '/api/v1/auth/reset-password', { body: { token, new_password: newPassword } });
  },
  'its expiry': ({ userId }) =>
    platform.database.sql`update refresh_tokens set expires_at = now() - interval '1 day' where user_id = ${userId}`,
};

describe.each(Object.entries(ends))('after %s', (_name, end) => {
  it('access tokens of the session are refused everywhere', async () => {
    const user = await platform.signUp();
    expect((await me(platform, user.accessToken)).status).toBe(200);
    await end(user);
    expect(await me(platform, user.accessToken)).toMatchObject({
      status: 401,
      body: { type: '/problems/unauthenticated' },
    });
    const validated = await platform.json('POST', '/api/v1/auth/validate', { body: { token: user.accessToken } });
    expect(validated.body).toMatchObject({ valid: false, user_id: null });
    expect((await post(platform, user, { body: { query: '{ __typename }' } })).status).toBe(401);
  });

  it('no operation gives the session new tokens', async () => {
    const user = await platform.signUp({ organization: null });
    const invite = await inviteFor(user);
    await end(user);
    const { accessToken: token } = user;
    const attempts = [
      platform.json('POST', '/api/v1/auth/switch-org', { token, body: { org_id: owner.orgId } }),
      platform.json('POST', '/api/v1/auth/onboard', { token, body: { action: 'create_org', org_name: 'Revenants' } }),
      platform.json('POST', '/api/v1/auth/onboard', { token, body: { action: 'join_org', invite_code: invite } }),
      platform.json('POST', '/api/v1/auth/accept-invite', { token, body: { token: invite } }),
      refresh(platform, user.refreshToken),
    ];
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(await storedMemberships(platform, user.userId)).toEqual([]);
  });
});

describe('a session that ends while a request of it waits', () => {
  it.each(['switch-org', 'onboard', 'accept-invite'])('gets no tokens from %s, which changes nothing', async (name) => {
    const isSwitch = name === 'switch-org';
    const user = await platform.signUp(isSwitch ? {} : { organization: null });
    const bodies: Readonly<Record<string, unknown>> = {
      'switch-org': { org_id: user.orgId },
      onboard: { action: 'create_org', org_name: 'Revenants' },
      'accept-invite': isSwitch ? null : { token: await inviteFor(user) },
    };
    const before = await storedMemberships(platform, user.userId);
    const request = { token: user.accessToken, body: bodies[name] };
    const reply = await overtake(
      platform,
      user,
      () => platform.json('POST', `/api/v1/auth/${name}`, request),
      async (sql) => sql`
        update refresh_tokens set revoked_at = now(), revocation_reason = 'session_ended'
        where user_id = ${user.userId} and revoked_at is null`,
    );
    expect(reply).toMatchObject({ status: 401, body: { type: '/problems/unauthenticated' } });
    expect(await storedMemberships(platform, user.userId)).toEqual(before);
    const alive = (await storedRefreshTokens(platform, user.userId)).filter((each) => each.revocation_reason === null);
    expect(alive).toEqual([]);
  });
});

describe('the end of one session', () => {
  it('leaves the access tokens of others valid', async () => {
    const user = await platform.signUp();
    const other = await login(platform, user.email);
    await platform.json('POST', '/api/v1/auth/logout', { body: { refresh_token: user.refreshToken } });
    expect((await me(platform, other.body.access_token)).status).toBe(200);
  });

  it('does not come from a refresh: older access tokens of the session stay valid', async () => {
    const user = await platform.signUp();
    const { body } = await refresh(platform, user.refreshToken);
    for (const token of [user.accessToken, body.access_token as string]) {
      expect((await me(platform, token)).status).toBe(200);
    }
  });
});

async function inviteFor({ email }: TestUser): Promise<string> {
  const path = `/api/v1/organizations/${owner.orgId}/invites`;
  const request = { token: owner.accessToken, body: { email, role: 'member' } };
  expect((await platform.json('POST', path, request)).status).toBe(201);
  return (await platform.lastMail(email)).token;
}
