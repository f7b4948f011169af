import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { newEmail, register, resend, reset, simultaneously, verify } from './requests.js';
import { auditOf, storedOneTimeTokens, storedUser } from './stored.js';

const hour = 3600;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

/** Registers, and gives the token of the mail. */
async function registered(email: string): Promise<string> {
  await register(platform, { email });
  return (await platform.lastMail(email)).token;
}

const invalid = { status: 400, body: { message: 'Invalid or expired verification token' } };

describe('verification', () => {
  it('verifies the account and records it', async () => {
    const email = newEmail();
    const reply = await verify(platform, await registered(email));
    expect(reply).toMatchObject({ status: 200, body: { verified: true } });
    const user = await storedUser(platform, email);
    expect(user.is_verified).toBe(true);
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'EMAIL_VERIFIED', user_id: user.id }]);
  });

  it('accepts a token once', async () => {
    const token = await registered(newEmail());
    expect((await verify(platform, token)).status).toBe(200);
    expect(await verify(platform, token)).toMatchObject(invalid);
  });

  it('accepts one of twenty simultaneous uses of a token', async () => {
    const token = await registered(newEmail());
    const replies = await simultaneously(20, () => verify(platform, token));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(400)]);
  });

  it('accepts a token for 24 hours', async () => {
    const email = newEmail();
    const token = await registered(email);
    platform.clock.advance(24 * hour - 60);
    expect((await verify(platform, token)).status).toBe(200);
  });

  it('refuses a token after 24 hours, and leaves the account unverified', async () => {
    const email = newEmail();
    const token = await registered(email);
    platform.clock.advance(24 * hour + 1);
    const reply = await verify(platform, token);
    expect(reply).toMatchObject(invalid);
    expect((await storedUser(platform, email)).is_verified).toBe(false);
    expect(await auditOf(platform, reply)).toEqual([]);
  });

  it('refuses an unknown token', async () => {
    expect(await verify(platform, 'nD1zS0o3c6mYx2vR8kQ4tB7pW5hL9eG0uJaFiKsXdMc')).toMatchObject(invalid);
  });

  it('refuses a token of a password reset', async () => {
    const email = newEmail();
    await registered(email);
    await platform.json('POST', '/api/v1/auth/forgot-password', { body: { email } });
    const { token } = await platform.lastMail(email);
    expect(await verify(platform, token)).toMatchObject(invalid);
    expect((await storedUser(platform, email)).is_verified).toBe(false);
  });

  it.each([
    ['a missing token', ''],
    ['an empty token', '?token='],
    ['a token of 6000 characters', `?token=${'a'.repeat(6000)}`],
    ['a token with other characters', '?token=%F0%9F%94%91%20%22'],
  ])('answers 400 with its message for %s', async (_what, query) => {
    expect(await platform.json('GET', `/api/v1/auth/verify${query}`)).toMatchObject(invalid);
  });

  it.each([
    ['a token that is not UTF-8', '?token=%ff'],
    ['a token with U+0000', '?token=a%00b'],
    ['two tokens', '?token=a&token=b'],
    ['another parameter', '?code=a'],
  ])('refuses a malformed query, such as %s', async (_what, query) => {
    expect((await platform.json('GET', `/api/v1/auth/verify${query}`)).body.type).toBe('/problems/validation-failed');
  });

  it('answers HEAD as GET would, and keeps the token', async () => {
    const email = newEmail();
    const token = await registered(email);
    const head = (value: string): Promise<Response> =>
      platform.fetch(`${platform.url}/api/v1/auth/verify?token=${value}`, { method: 'HEAD' });
    for (let time = 0; time < 2; time += 1) expect((await head(token)).status).toBe(200);
    expect((await storedUser(platform, email)).is_verified).toBe(false);
    expect((await verify(platform, token)).status).toBe(200);
    expect((await head(token)).status).toBe(400);
  });

  it.each([
    ['reset', `update users set token_version = token_version`],
    ['disabled', 'update users set is_active = false'],
  ])('refuses the token of an account that was %s since', async (what, change) => {
    const email = newEmail();
    const token = await registered(email);
    if (what === 'reset') {
      await platform.json('POST', '/api/v1/auth/forgot-password', { body: { email } });
      const mail = await platform.lastMail(email);
      expect((await reset(platform, mail.token, 'nine loud harbours 9')).status).toBe(200);
    }
    await platform.database.sql.unsafe(`${change} where email = $1`, [email]);
    expect(await verify(platform, token)).toMatchObject(invalid);
  });
});

describe('a new verification mail', () => {
  it('brings a token that replaces the older one', async () => {
    const email = newEmail();
    const older = await registered(email);
    const reply = await resend(platform, email);
    expect(reply).toMatchObject({ status: 200, body: { verified: null } });
    const { token: newer } = await platform.lastMail(email);
    expect(newer).not.toBe(older);
    expect(await verify(platform, older)).toMatchObject(invalid);
    expect((await verify(platform, newer)).status).toBe(200);
  });

  it('is recorded, and stored as one token good for 24 hours', async () => {
    const email = newEmail();
    await registered(email);
    platform.clock.advance(hour);
    const reply = await resend(platform, email);
    await platform.running.mails.drain();
    const user = await storedUser(platform, email);
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'VERIFICATION_REQUESTED', user_id: user.id }]);
    const [token, ...others] = await storedOneTimeTokens(platform, user.id);
    expect(others).toEqual([]);
    expect(Number(token?.expires_at) - Number(token?.created_at)).toBe(24 * hour * 1000);
    expect(Number(token?.expires_at)).toBeGreaterThan(Number(platform.clock.now()) + 23 * hour * 1000);
  });

  it('finds the account by its e-mail in any case', async () => {
    const email = newEmail();
    await registered(email);
    await resend(platform, email.toUpperCase());
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toHaveLength(2);
  });

  it('is not sent to a verified account, without revealing this', async () => {
    const { email } = await platform.signUp({ organization: null });
    const sent = platform.mailbox.to(email).length;
    const reply = await resend(platform, email);
    expect(reply).toMatchObject({ status: 200, body: { verified: null } });
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toHaveLength(sent);
    expect(await auditOf(platform, reply)).toEqual([]);
  });

  it('is not sent to a disabled account', async () => {
    const email = newEmail();
    await registered(email);
    await platform.database.sql`update users set is_active = false where email = ${email}`;
    await resend(platform, email);
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toHaveLength(1);
  });
});
