import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { forgot, login, newEmail, register, reset, simultaneously, withoutRequestId } from './requests.js';
import { auditOf } from './stored.js';

const minute = 60;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const fail = (email: string): Promise<JsonReply> => login(platform, email, 'another quiet river 8');

async function failTimes(email: string, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) expect((await fail(email)).status).toBe(401);
}

async function newAccount(): Promise<string> {
  return (await platform.signUp({ organization: null })).email;
}

describe('five failed logins in a row', () => {
  it('lock the e-mail: the right password is refused as well', async () => {
    const email = await newAccount();
    await failTimes(email, 5);
    const reply = await login(platform, email);
    expect(reply.status).toBe(429);
    expect(reply.body.type).toBe('/problems/account-locked');
    expect(reply.body.retry_after_seconds).toBeGreaterThan(14 * minute);
    expect(reply.body.retry_after_seconds).toBeLessThanOrEqual(15 * minute);
    expect(reply.headers.get('Retry-After')).toBe(String(reply.body.retry_after_seconds));
  });

  it('lock it in every case of its letters', async () => {
    const email = await newAccount();
    await failTimes(email, 4);
    expect((await fail(email.toUpperCase())).status).toBe(401);
    expect((await login(platform, email)).status).toBe(429);
  });

  it('lock an e-mail without an account in the same way', async () => {
    const known = await newAccount();
    const unknown = newEmail();
    for (const email of [known, unknown]) await failTimes(email, 5);
    const [first, second] = [await login(platform, known), await login(platform, unknown)].map((reply) =>
      // The one was locked a moment before the other, so that the seconds may differ by one.
      JSON.stringify(withoutRequestId(reply)).replaceAll(/\b(89\d|900)\b/g, 'seconds'),
    );
    expect(first).toContain('/problems/account-locked');
    expect(first).toBe(second);
  });

  it('do not extend the lock by further attempts', async () => {
    const email = await newAccount();
    await failTimes(email, 5);
    const first = (await fail(email)).body.retry_after_seconds as number;
    platform.clock.advance(10 * minute);
    const second = (await fail(email)).body.retry_after_seconds as number;
    expect(second).toBeLessThanOrEqual(first - 10 * minute);
    expect(second).toBeGreaterThan(4 * minute - 1);
  });

  it('lock for 15 minutes', async () => {
    const email = await newAccount();
    await failTimes(email, 5);
    platform.clock.advance(14 * minute);
    expect((await login(platform, email)).status).toBe(429);
    platform.clock.advance(minute + 1);
    expect((await login(platform, email)).status).toBe(200);
  });

  it('do not lock other e-mails', async () => {
    await failTimes(newEmail(), 5);
    expect((await login(platform, await newAccount())).status).toBe(200);
  });

  it('are answered of thirty simultaneous ones: the others meet the lock', async () => {
    for (const email of [await newAccount(), newEmail()]) {
      const replies = await simultaneously(30, () => fail(email));
      const count = (wanted: number): number => replies.filter(({ status }) => status === wanted).length;
      expect([count(401), count(429)]).toEqual([5, 25]);
      expect((await login(platform, email)).status).toBe(429);
    }
  });

  it('hide the right password among sixty guesses at once', async () => {
    const email = await newAccount();
    const replies = await simultaneously(60, (index) => (index === 54 ? login(platform, email) : fail(email)));
    expect(replies.filter(({ status }) => status === 200)).toEqual([]);
  });

  it('lock when they arrive at once, too', async () => {
    const email = await newAccount();
    await simultaneously(5, () => fail(email));
    expect((await login(platform, email)).status).toBe(429);
  });

  it('skip the password check: a locked login records no attempt', async () => {
    const email = await newAccount();
    await failTimes(email, 5);
    const stored = async (): Promise<unknown> =>
      platform.database.sql`select * from login_failures where email = ${email}`;
    const before = await stored();
    const reply = await fail(email);
    expect(reply.status).toBe(429);
    expect(await stored()).toEqual(before);
    expect(await auditOf(platform, reply)).toEqual([]);
  });
});

describe('the count of failures', () => {
  it('ignores failures older than 15 minutes', async () => {
    const email = await newAccount();
    await failTimes(email, 4);
    platform.clock.advance(15 * minute + 1);
    await failTimes(email, 4);
    expect((await login(platform, email)).status).toBe(200);
  });

  it('starts again after a lock has run out', async () => {
    const email = await newAccount();
    await failTimes(email, 5);
    platform.clock.advance(15 * minute + 1);
    await failTimes(email, 4);
    expect((await login(platform, email)).status).toBe(200);
  });

  it('is cleared by the right password', async () => {
    const email = await newAccount();
    await failTimes(email, 4);
    expect((await login(platform, email)).status).toBe(200);
    expect(await platform.database.sql`select 1 from login_failures where email = ${email}`).toEqual([]);
    await failTimes(email, 4);
    expect((await login(platform, email)).status).toBe(200);
  });

  it('does not grow by correct passwords, however many arrive at once', async () => {
    const email = await newAccount();
    const replies = await simultaneously(30, () => login(platform, email));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('is cleared by the right password of an unverified account', async () => {
    const email = newEmail();
    await register(platform, { email });
    await failTimes(email, 4);
    expect((await login(platform, email)).body.status).toBe('email_verification_required');
    expect(await platform.database.sql`select 1 from login_failures where email = ${email}`).toEqual([]);
  });

  it('is cleared by a password reset, which ends a lock', async () => {
    const email = await newAccount();
    await failTimes(email, 5);
    await forgot(platform, email);
    const { token } = await platform.lastMail(email);
    expect((await reset(platform, token, 'nine loud harbours 9')).status).toBe(200);
    expect((await login(platform, email, 'nine loud harbours 9')).status).toBe(200);
  });
});
