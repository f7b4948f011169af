import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { login, newEmail, refresh, simultaneously } from '../../identity/auth/requests.js';
import { storedRefreshTokens } from '../../identity/auth/stored.js';

let first: TestPlatform;
let second: TestPlatform;
beforeAll(async () => {
  const environment = { AUTH_VALIDATE_LIMIT: '4/hour' };
  first = await startTestPlatform({ environment });
  const { databaseUri, mailbox, clock } = first;
  second = await startTestPlatform({ databaseUri, mailbox, clock, environment });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

describe('two servers on one database', () => {
  it('share rate limits', async () => {
    const statuses: number[] = [];
    for (const server of [first, second, first, second, first, second]) {
      statuses.push((await server.json('POST', '/api/v1/auth/validate', { body: { token: 'unknown' } })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  });

  it('share lockouts', async () => {
    const { email } = await first.signUp({ organization: null });
    for (const server of [first, second, first, second, first]) {
      expect((await login(server, email, 'another quiet river 8')).status).toBe(401);
    }
    expect((await login(second, email)).status).toBe(429);
    expect((await login(first, email)).status).toBe(429);
  });

  it('share sessions: a token used on one is used up on the other', async () => {
    const user = await first.signUp({ organization: null });
    const { body } = await refresh(first, user.refreshToken);
    expect((await refresh(second, user.refreshToken)).body.message).toBe('Refresh token reuse detected');
    expect((await refresh(first, body.refresh_token)).status).toBe(401);
  });

  it('accept one of fifty simultaneous uses of a refresh token on both servers', async () => {
    const user = await first.signUp({ organization: null });
    const replies = await simultaneously(50, (index) => refresh(index % 2 === 0 ? first : second, user.refreshToken));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const reasons = (await storedRefreshTokens(first, user.userId)).map((each) => each.revocation_reason);
    expect(reasons).toEqual(['rotated', 'reuse']);
  });

  it('accept one of fifty simultaneous registrations of an e-mail', async () => {
    const body = { email: newEmail(), password: 'seven quiet rivers 7' };
    const replies = await simultaneously(50, (index) =>
      (index % 2 === 0 ? first : second).json('POST', '/api/v1/auth/register', { body }),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it('accept each other’s access tokens', async () => {
    const user = await first.signUp();
    expect((await second.json('GET', '/api/v1/auth/me', { token: user.accessToken })).body.org_id).toBe(user.orgId);
  });
});
