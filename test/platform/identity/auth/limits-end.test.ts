import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { forgot, login, newEmail, register, reset, verify } from './requests.js';

const newPassword = 'nine loud harbours 9';

let platform: TestPlatform;
beforeAll(async () => {
  // An empty variable is one that is not set: the defaults hold.
  const environment = {
    AUTH_LOGIN_LIMIT: '',
    AUTH_CHANGE_PASSWORD_LIMIT: '',
    AUTH_MAIL_ADDRESS_LIMIT: '',
    AUTH_FORGOT_LIMIT: '',
    AUTH_LOGIN_IP_LIMIT: '1000/hour',
    TRUSTED_PROXIES: '127.0.0.1',
  };
  platform = await startTestPlatform({ environment });
});
afterAll(() => platform.stop());
beforeEach(() => platform.database.sql`truncate rate_limits`);

/** Sends wrong passwords until both the lockout and the limit of logins refuse the address. */
async function useUpLogins(email: string): Promise<void> {
  const attempt = (): Promise<JsonReply> => login(platform, email, 'wrong password 1');
  for (let count = 0; count < 6; count += 1) {
    await platform.database.sql`truncate login_failures`; // what a lockout refuses does not count
    expect((await attempt()).status).toBe(401);
  }
  for (let count = 0; count < 4; count += 1) expect((await attempt()).status).toBe(401);
  expect((await attempt()).body.type).toBe('/problems/rate-limited');
  await platform.database.sql`update login_failures set locked_until = now() + interval '1 day'`;
}

/** Redeems the link of a reset mail. */
async function resetByMail(email: string): Promise<void> {
  await forgot(platform, email);
  const { token } = await platform.lastMail(email);
  expect((await reset(platform, token, newPassword)).status).toBe(200);
}

describe('the holder of a mailbox', () => {
  it('can log in at once after a reset, whatever others have tried', async () => {
    const { email } = await platform.signUp();
    await useUpLogins(email);
    await resetByMail(email);
    const reply = await login(platform, email, newPassword);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('RateLimit')).toMatch(/"login";r=10;/);
  });

  it('can log in at once after a verification', async () => {
    const email = newEmail();
    await register(platform, { email });
    await useUpLogins(email);
    expect((await verify(platform, (await platform.lastMail(email)).token)).status).toBe(200);
    expect((await login(platform, email)).status).toBe(200);
  });

  it('gets ten mails an hour, from however many networks they are asked for, until one is used', async () => {
    const { email } = await platform.signUp();
    const ask = (count: number): Promise<JsonReply> =>
      platform.json('POST', '/api/v1/auth/forgot-password', {
        body: { email },
        headers: { 'X-Forwarded-For': `192.0.2.${count}` },
      });
    for (let count = 1; count <= 10; count += 1) expect((await ask(count)).status).toBe(200);
    const refused = await ask(11);
    expect(refused).toMatchObject({ status: 429, body: { type: '/problems/rate-limited' } });
    expect(refused.headers.get('RateLimit')).toContain('"forgot-address";r=0;');
    const { token } = await platform.lastMail(email);
    expect((await reset(platform, token, newPassword)).status).toBe(200);
    expect((await ask(12)).status).toBe(200);
  });

  it('can change the password at once after a reset', async () => {
    const user = await platform.signUp();
    const change = (token: string, current: string): Promise<JsonReply> => {
      const body = { current_password: current, new_password: 'five green lanterns 5' };
      return platform.json('POST', '/api/v1/auth/change-password', { token, body });
    };
    for (let count = 0; count < 10; count += 1) await change(user.accessToken, 'wrong password 1');
    expect((await change(user.accessToken, user.password)).body.type).toBe('/problems/rate-limited');
    await resetByMail(user.email);
    const { body } = await login(platform, user.email, newPassword);
    expect((await change(body.access_token, newPassword)).status).toBe(200);
  });

  it('ends the limits of no other account', async () => {
    const [user, other] = [await platform.signUp(), await platform.signUp()];
    await useUpLogins(other.email);
    await resetByMail(user.email);
    expect((await login(platform, other.email)).status).toBe(429);
  });

  it('of a long address is let in as well', async () => {
    const email = `${'a'.repeat(59)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(51)}.example.com`;
    await platform.signUp({ email });
    await useUpLogins(email);
    await resetByMail(email);
    expect((await login(platform, email, newPassword)).status).toBe(200);
  });
});
