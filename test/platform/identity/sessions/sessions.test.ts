import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, testPassword, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { login, me, refresh } from '../auth/requests.js';
import { auditOf, storedRefreshTokens } from '../auth/stored.js';

const path = '/api/v1/auth/sessions';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

async function sessionsOf(token: string): Promise<Record<string, unknown>[]> {
  const { status, body } = await platform.json('GET', path, { token });
  expect(status).toBe(200);
  return body.items as Record<string, unknown>[];
}

const revoke = (token: string, id: unknown): Promise<JsonReply> =>
  platform.json('DELETE', `${path}/${String(id)}`, { token });

describe('the list of sessions', () => {
  it('shows the details of each, the newest first', async () => {
    const user = await platform.signUp({ organization: null });
    platform.clock.advance(60);
    await platform.json('POST', '/api/v1/auth/login', {
      body: { email: user.email, password: testPassword },
      headers: { 'User-Agent': 'second device' },
    });
    const [second, first, ...others] = await sessionsOf(user.accessToken);
    expect(others).toEqual([]);
    expect(second).toMatchObject({ user_agent: 'second device', ip: '127.0.0.1', org_id: null });
    expect(String(second?.['created_at']) > String(first?.['created_at'])).toBe(true);
    expect(Date.parse(String(second?.['expires_at'])) - Date.parse(String(second?.['created_at']))).toBe(
      7 * 86_400_000,
    );
  });

  it('shows a refreshed session once, with the time of its last refresh', async () => {
    const user = await platform.signUp({ organization: null });
    platform.clock.advance(60);
    await refresh(platform, user.refreshToken);
    const [session, ...others] = await sessionsOf(user.accessToken);
    expect(others).toEqual([]);
    expect(String(session?.['last_used_at']) > String(session?.['created_at'])).toBe(true);
  });

  it('omits sessions that have ended, and those of other users', async () => {
    const user = await platform.signUp({ organization: null });
    await platform.signUp({ organization: null });
    const other = await login(platform, user.email);
    await platform.json('POST', '/api/v1/auth/logout', { body: { refresh_token: user.refreshToken } });
    expect(await sessionsOf(other.body.access_token)).toHaveLength(1);
  });

  it('omits expired sessions', async () => {
    const user = await platform.signUp({ organization: null });
    platform.clock.advance(8 * 86_400);
    const { body } = await login(platform, user.email);
    expect(await sessionsOf(body.access_token)).toHaveLength(1);
  });
});

describe('the end of one session', () => {
  it('stops its refreshes and is recorded', async () => {
    const user = await platform.signUp({ organization: null });
    const other = await login(platform, user.email);
    const [, first] = await storedRefreshTokens(platform, user.userId).then((rows) => [...rows].reverse());
    const reply = await revoke(other.body.access_token, first?.family_id);
    expect(reply.status).toBe(204);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'SESSION_REVOKED', resource_id: first?.family_id, user_id: user.userId },
    ]);
    expect((await refresh(platform, user.refreshToken)).status).toBe(401);
    expect((await refresh(platform, other.body.refresh_token)).status).toBe(200);
  });

  it('answers 404 the second time', async () => {
    const user = await platform.signUp({ organization: null });
    const [session] = await sessionsOf(user.accessToken);
    const other = await login(platform, user.email);
    await revoke(other.body.access_token, session?.['id']);
    expect(await revoke(other.body.access_token, session?.['id'])).toMatchObject({
      status: 404,
      body: { type: '/problems/session-not-found' },
    });
  });

  it('answers 404 for the session of another user', async () => {
    const [user, stranger] = [await platform.signUp({ organization: null }), await platform.signUp()];
    const [session] = await sessionsOf(user.accessToken);
    expect((await revoke(stranger.accessToken, session?.['id'])).status).toBe(404);
    expect((await refresh(platform, user.refreshToken)).status).toBe(200);
  });

  it('answers 404 for an unknown id, and 422 without one', async () => {
    const user = await platform.signUp({ organization: null });
    expect((await revoke(user.accessToken, randomUUID())).status).toBe(404);
    expect((await revoke(user.accessToken, 'mine')).status).toBe(422);
  });
});

describe('the end of all sessions', () => {
  it("stops every refresh, including the caller's, and is recorded", async () => {
    const user = await platform.signUp();
    const other = await login(platform, user.email);
    const reply = await platform.json('DELETE', path, { token: user.accessToken });
    expect(reply.status).toBe(204);
    for (const token of [user.accessToken, other.body.access_token as string]) {
      expect((await me(platform, token)).status).toBe(401);
    }
    for (const token of [user.refreshToken, other.body.refresh_token as string]) {
      expect((await refresh(platform, token)).status).toBe(401);
    }
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'SESSION_REVOKED', note: 'all sessions' }]);
  });

  it('does not change sessions of other users', async () => {
    const [user, other] = [
      await platform.signUp({ organization: null }),
      await platform.signUp({ organization: null }),
    ];
    await platform.json('DELETE', path, { token: user.accessToken });
    expect((await refresh(platform, other.refreshToken)).status).toBe(200);
  });
});
