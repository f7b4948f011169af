import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  startTestPlatform,
  testPassword,
  type JsonReply,
  type TestPlatform,
  type TestUser,
} from '../../../support/platform.js';
import { newEmail, simultaneously } from '../../identity/auth/requests.js';

const office = '192.0.2.1';
const people = 32;

let platform: TestPlatform;
let users: TestUser[];
beforeAll(async () => {
  // An empty variable is one that is not set: the defaults hold.
  const names = ['REGISTER', 'REGISTER_ATTEMPT', 'LOGIN_ATTEMPT', 'LOGIN_IP', 'LOGIN', 'REFRESH', 'BROWSER_SESSION'];
  platform = await startTestPlatform({
    environment: {
      ...Object.fromEntries(names.map((name) => [`AUTH_${name}_LIMIT`, ''])),
      AUTH_REGISTER_LIMIT: 'off',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  users = [];
  for (let count = 0; count < people; count += 1) users.push(await platform.signUp({ organization: null }));
});
afterAll(() => platform.stop());
beforeEach(() => platform.database.sql`truncate rate_limits`);

function post(path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<JsonReply> {
  return platform.json('POST', `/api/v1/auth/${path}`, { body, headers: { 'X-Forwarded-For': office, ...headers } });
}

function statusesOf(replies: readonly JsonReply[]): number[] {
  return [...new Set(replies.map(({ status }) => status))];
}

describe('32 people behind one address', () => {
  it('log in at once, mistype their passwords twice, and refresh every 15 minutes of a day', async () => {
    for (let mistake = 0; mistake < 2; mistake += 1) {
      const wrong = await simultaneously(people, (index) =>
        post('login', { email: users[index]?.email, password: 'not the password 1' }),
      );
      expect(statusesOf(wrong)).toEqual([401]);
    }
    let sessions = await simultaneously(people, (index) =>
      post('login', { email: users[index]?.email, password: testPassword }),
    );
    expect(statusesOf(sessions)).toEqual([200]);
    // The window of the limit is by the clock of the machine, so all of these are in one: more than in a real day.
    for (let round = 0; round < 10; round += 1) {
      platform.clock.advance(15 * 60);
      const before = sessions;
      sessions = await simultaneously(people, (index) =>
        post('refresh', { refresh_token: before[index]?.body.refresh_token }),
      );
      expect(statusesOf(sessions)).toEqual([200]);
    }
  });

  it('load twelve pages of the console each', async () => {
    const sessions = await simultaneously(people, (index) =>
      post('login', { email: users[index]?.email, password: testPassword }),
    );
    let replies = await simultaneously(people, (index) =>
      post('browser-session', { refresh_token: sessions[index]?.body.refresh_token }),
    );
    for (let page = 0; page < 12; page += 1) {
      expect(statusesOf(replies)).toEqual([200]);
      const before = replies;
      replies = await simultaneously(people, (index) => {
        const cookie = before[index]?.headers.get('Set-Cookie')?.split(';')[0] ?? '';
        return post('browser-session/refresh', undefined, { Cookie: cookie, 'X-Plumbline-Browser': '1' });
      });
    }
  });
});

describe('the limit of refreshes', () => {
  const session = async (): Promise<string> => {
    const { body } = await post('login', { email: users[0]?.email, password: testPassword });
    return String(body.refresh_token);
  };

  it('counts each session by itself, wherever its tokens are used', async () => {
    let token = await session();
    for (let count = 0; count < 30; count += 1) {
      const headers = { 'X-Forwarded-For': `198.51.100.${count}` };
      const { status, body } = await post('refresh', { refresh_token: token }, headers);
      expect(status).toBe(200);
      token = String(body.refresh_token);
    }
    const refused = await post('refresh', { refresh_token: token });
    expect(refused).toMatchObject({ status: 429, body: { type: '/problems/rate-limited' } });
    expect((await post('refresh', { refresh_token: await session() })).status).toBe(200);
    // A refused request does not use up its token.
    await platform.database.sql`truncate rate_limits`;
    expect((await post('refresh', { refresh_token: token })).status).toBe(200);
  });

  it('counts invalid tokens by address, which does not touch sessions behind it', async () => {
    const invalid = (index: number): Promise<JsonReply> => post('refresh', { refresh_token: `made up ${index}` });
    for (let count = 0; count < 30; count += 1) expect((await invalid(count)).status).toBe(401);
    expect((await invalid(30)).status).toBe(429);
    expect((await post('refresh', { refresh_token: await session() })).status).toBe(200);
  });

  it('does not take the session of a token that is not signed by the server', async () => {
    const [header = '', claims = ''] = (await session()).split('.');
    const forged = `${header}.${claims}.${'A'.repeat(86)}`;
    for (let count = 0; count < 30; count += 1) await post('refresh', { refresh_token: forged });
    expect((await post('refresh', { refresh_token: forged })).status).toBe(429);
    expect(
      await platform.database.sql`select 1 from rate_limits where key like ${'AUTH_REFRESH_LIMIT:%'}`,
    ).toHaveLength(1);
    expect((await post('refresh', { refresh_token: await session() })).status).toBe(200);
  });
});

describe('the limits of registrations', () => {
  it('do not count rejected passwords as registrations, but bound how many are tried', async () => {
    const server = await startTestPlatform({
      environment: { AUTH_REGISTER_LIMIT: '', AUTH_REGISTER_ATTEMPT_LIMIT: '' },
    });
    const register = (password: string, email = newEmail()): Promise<JsonReply> =>
      server.json('POST', '/api/v1/auth/register', { body: { email, password } });
    for (const password of ['summer2026', 'Password12345', 'robin.example', 'Summer2026!!']) {
      const reply = await register(password);
      expect(reply.status).toBe(422);
      expect(reply.headers.get('RateLimit')).toMatch(/"register";r=3;/);
    }
    const email = newEmail();
    expect((await register(testPassword, email)).status).toBe(201);
    // Otherwise it would tell who is registered, as often as somebody asks.
    expect((await register(testPassword, email)).status).toBe(400);
    expect((await register(testPassword)).status).toBe(201);
    expect((await register(testPassword)).body.type).toBe('/problems/rate-limited');
    for (let count = 0; count < 52; count += 1) await register('short');
    const refused = await register('short');
    expect(refused).toMatchObject({ status: 429, body: { type: '/problems/rate-limited' } });
    expect(refused.headers.get('RateLimit')).toMatch(/^"register-attempt";r=0;/);
    await server.stop();
  });
});
