import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startTestPlatform,
  testPassword,
  type JsonReply,
  type TestPlatform,
  type TestUser,
} from '../../../support/platform.js';

const session = '/api/v1/auth/browser-session';
let platform: TestPlatform;
let user: TestUser;
beforeAll(async () => {
  const limits = { AUTH_VERIFY_LIMIT: '10/hour', AUTH_LOGIN_LIMIT: '10/15m', AUTH_BROWSER_SESSION_LIMIT: '300/15m' };
  platform = await startTestPlatform({ environment: limits });
  user = await platform.signUp();
});
afterAll(() => platform.stop());

function expectLimits({ headers, status }: JsonReply, expected: number): void {
  expect(status).toBe(expected);
  expect(headers.get('RateLimit')).toMatch(/;r=\d+;t=\d+/);
  expect(headers.get('RateLimit-Policy')).toMatch(/;q=\d+;w=\d+/);
}

describe('a reply of a limited operation reports the remaining requests', () => {
  test('when a login is refused for its organization', async () => {
    const body = { email: user.email, password: testPassword, org_id: randomUUID() };
    expectLimits(await platform.json('POST', '/api/v1/auth/login', { body }), 403);
  });

  test('when an account is disowned', async () => {
    const email = `${randomUUID()}@example.com`;
    await platform.json('POST', '/api/v1/auth/register', { body: { email, password: testPassword } });
    const { text } = await platform.lastMail(email);
    const token = /\/not-me\?token=([\w-]+)/.exec(text)?.[1] ?? '';
    expectLimits(await platform.json('POST', '/api/v1/auth/disown', { body: { token } }), 200);
  });

  test('when an account is secured', async () => {
    const { accessToken, email } = await platform.signUp();
    const change = { current_password: testPassword, new_password: 'nine loud harbours 9' };
    await platform.json('POST', '/api/v1/auth/change-password', { token: accessToken, body: change });
    const { token } = await platform.lastMail(email);
    expectLimits(await platform.json('POST', '/api/v1/auth/secure-account', { body: { token } }), 200);
  });

  test('when a change of an address is confirmed, and when it is refused', async () => {
    const changing = await platform.signUp();
    const body = { new_email: `${randomUUID()}@example.com`, current_password: testPassword };
    const request = { token: changing.accessToken, body };
    expectLimits(await platform.json('POST', '/api/v1/auth/change-email', request), 202);
    const { token } = await platform.lastMail(changing.email);
    for (const step of ['verify', 'cancel']) {
      const reply = await platform.json('POST', `/api/v1/auth/change-email/${step}`, { body: { token } });
      expectLimits(reply, 200);
    }
  });

  test('when a browser session starts and is renewed', async () => {
    const started = await platform.json('POST', session, { body: { refresh_token: user.refreshToken } });
    expectLimits(started, 200);
    const cookie = started.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const headers = { Cookie: cookie, 'X-Plumbline-Browser': '1' };
    expectLimits(await platform.json('POST', `${session}/refresh`, { headers }), 200);
  });
});
