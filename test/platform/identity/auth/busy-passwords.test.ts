import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dummyHash } from '../../../../src/platform/identity/passwords/passwords.js';
import {
  startTestPlatform,
  testPassword,
  type JsonReply,
  type TestPlatform,
  type TestUser,
} from '../../../support/platform.js';
import { computationsStarted } from '../passwords/computations.js';
import { forgot, login, me, register, reset } from './requests.js';

let platform: TestPlatform;
let user: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { AUTH_BCRYPT_QUEUE: '0' } });
  user = await platform.signUp();
});
afterAll(() => platform.stop());

/** Keeps every worker thread busy with passwords of a high cost while `work` runs. */
async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  const threads = availableParallelism();
  const emails = Array.from({ length: threads }, () => `${randomUUID()}@example.com`);
  for (const email of emails) {
    await platform.database.sql`
      insert into users (email, password_hash, auth_provider, is_verified)
      values (${email}, ${dummyHash(14)}, 'local', true)`;
  }
  const started = computationsStarted(threads);
  const logins = emails.map((email) => login(platform, email));
  await started;
  const result = await work();
  for (const { status } of await Promise.all(logins)) expect(status).toBe(401);
  return result;
}

describe('while every thread hashes and the queue is full', () => {
  const unavailable = { status: 503, body: { type: '/problems/service-unavailable', retry_after_seconds: 5 } };

  const attempts: Readonly<Record<string, () => Promise<JsonReply>>> = {
    'a login': () => login(platform, user.email),
    'a registration': () => register(platform, { email: `${randomUUID()}@example.com` }),
    'a password change': () =>
      platform.json('POST', '/api/v1/auth/change-password', {
        token: user.accessToken,
        body: { current_password: testPassword, new_password: 'nine loud harbours 9' },
      }),
  };

  it.each(Object.entries(attempts))('%s is answered 503 with Retry-After', async (_name, attempt) => {
    const reply = await whileBusy(attempt);
    expect(reply).toMatchObject(unavailable);
    expect(reply.headers.get('Retry-After')).toBe('5');
  });

  it('a password reset is answered 503, and its token can be used later', async () => {
    await forgot(platform, user.email);
    const { token } = await platform.lastMail(user.email);
    expect(await whileBusy(() => reset(platform, token, 'nine loud harbours 9'))).toMatchObject(unavailable);
    expect((await reset(platform, token, 'nine loud harbours 9')).status).toBe(200);
  });

  it('requests that check no password are answered', async () => {
    const { body } = await login(platform, user.email, 'nine loud harbours 9');
    expect((await whileBusy(() => me(platform, body.access_token))).status).toBe(200);
  });
});
