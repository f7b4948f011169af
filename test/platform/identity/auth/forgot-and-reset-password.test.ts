import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, testPassword, type TestPlatform } from '../../../support/platform.js';
import { forgot, login, me, newEmail, refresh, register, reset, simultaneously } from './requests.js';
import { auditOf, storedOneTimeTokens, storedRefreshTokens, storedUser } from './stored.js';

const newPassword = 'nine loud harbours 9';
const hour = 3600;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

/** Asks for a reset, and gives the token of the mail. */
async function resetToken(email: string): Promise<string> {
  expect((await forgot(platform, email)).status).toBe(200);
  return (await platform.lastMail(email)).token;
}

const invalidToken = '/problems/invalid-reset-token';

describe('a forgotten password', () => {
  it('gets a mail with a link, and a token good for one hour', async () => {
    const { email, userId } = await platform.signUp({ organization: null });
    await forgot(platform, email.toUpperCase());
    const { text, subject } = await platform.lastMail(email);
    expect(subject).toBe('Reset your password');
    expect(text).toMatch(/http:\/\/127\.0\.0\.1:\d+\/reset-password\?token=[\w-]{43}\s/);
    const stored = (await storedOneTimeTokens(platform, userId)).find(({ kind }) => kind === 'reset');
    expect(Number(stored?.expires_at) - Number(stored?.created_at)).toBe(hour * 1000);
  });

  it('is recorded', async () => {
    const { email, userId } = await platform.signUp({ organization: null });
    const reply = await forgot(platform, email);
    await platform.running.mails.drain();
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'PASSWORD_RESET_REQUESTED', user_id: userId, resource_kind: 'USER' },
    ]);
  });

  it('changes nothing by itself', async () => {
    const { email, accessToken } = await platform.signUp({ organization: null });
    await forgot(platform, email);
    expect((await me(platform, accessToken)).status).toBe(200);
    expect((await login(platform, email)).status).toBe(200);
  });

  it('of an unknown address sends no mail and stores no token', async () => {
    const email = newEmail();
    const count = async (): Promise<unknown> =>
      (await platform.database.sql`select count(*) as tokens from one_time_tokens`)[0];
    await platform.running.mails.drain();
    const before = await count();
    const reply = await forgot(platform, email);
    expect(reply).toMatchObject({ status: 200, body: { verified: null } });
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toEqual([]);
    expect(await count()).toEqual(before);
    expect(await auditOf(platform, reply)).toEqual([]);
  });

  it('of a disabled account sends no mail', async () => {
    const { email } = await platform.signUp({ organization: null });
    await platform.database.sql`update users set is_active = false where email = ${email}`;
    const sent = platform.mailbox.to(email).length;
    await forgot(platform, email);
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toHaveLength(sent);
  });
});

describe('a password reset', () => {
  it('sets the password and records it', async () => {
    const { email, userId } = await platform.signUp({ organization: null });
    const reply = await reset(platform, await resetToken(email), newPassword);
    expect(reply).toMatchObject({ status: 200, body: { verified: true } });
    expect((await login(platform, email)).status).toBe(401);
    expect((await login(platform, email, newPassword)).status).toBe(200);
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'PASSWORD_RESET', user_id: userId }]);
  });

  it('refuses a password that is the name of an organization of the account with a year', async () => {
    const { email, accessToken, orgId } = await platform.signUp();
    const path = `/api/v1/organizations/${orgId}`;
    await platform.json('PATCH', path, { token: accessToken, body: { name: 'Qvorlix' } });
    const reply = await reset(platform, await resetToken(email), 'Qvorlix2026!!!');
    expect(reply).toMatchObject({ status: 422, body: { violations: [{ rule: 'common' }] } });
  });

  it('raises the token version: earlier access tokens stop working', async () => {
    const { email, accessToken } = await platform.signUp({ organization: null });
    const before = await storedUser(platform, email);
    await reset(platform, await resetToken(email), newPassword);
    expect((await storedUser(platform, email)).token_version).toBe(before.token_version + 1);
    expect(await me(platform, accessToken)).toMatchObject({ status: 401, body: { type: '/problems/unauthenticated' } });
  });

  it('revokes every refresh token', async () => {
    const { email, userId, refreshToken } = await platform.signUp({ organization: null });
    await login(platform, email);
    await reset(platform, await resetToken(email), newPassword);
    const stored = await storedRefreshTokens(platform, userId);
    expect(stored).toHaveLength(2);
    expect(stored.map((each) => each.revocation_reason)).toEqual(stored.map(() => 'password_changed'));
    expect((await refresh(platform, refreshToken)).status).toBe(401);
  });

  it('verifies the mailbox of an unverified account', async () => {
    const email = newEmail();
    await register(platform, { email });
    await reset(platform, await resetToken(email), newPassword);
    expect((await storedUser(platform, email)).is_verified).toBe(true);
    expect((await login(platform, email, newPassword)).body.access_token).toEqual(expect.any(String));
  });

  it('accepts a token once', async () => {
    const { email } = await platform.signUp({ organization: null });
    const token = await resetToken(email);
    await reset(platform, token, newPassword);
    const reply = await reset(platform, token, 'ten loud harbours 10');
    expect(reply).toMatchObject({ status: 400, body: { type: invalidToken } });
    expect(reply.body.message).toContain('invalid or expired');
    expect((await login(platform, email, newPassword)).status).toBe(200);
  });

  it('succeeds once of twenty simultaneous uses of a token', async () => {
    const { email } = await platform.signUp({ organization: null });
    const token = await resetToken(email);
    const replies = await simultaneously(20, (index) => reset(platform, token, `nine loud harbours ${index}`));
    const succeeded = replies.findIndex(({ status }) => status === 200);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await login(platform, email, `nine loud harbours ${succeeded}`)).status).toBe(200);
    expect((await storedUser(platform, email)).token_version).toBe(1);
  });

  it('accepts a token for one hour', async () => {
    const { email } = await platform.signUp({ organization: null });
    const token = await resetToken(email);
    platform.clock.advance(hour - 60);
    expect((await reset(platform, token, newPassword)).status).toBe(200);
  });

  it('refuses a token after one hour', async () => {
    const { email } = await platform.signUp({ organization: null });
    const token = await resetToken(email);
    platform.clock.advance(hour + 1);
    expect((await reset(platform, token, newPassword)).body.type).toBe(invalidToken);
    expect((await login(platform, email)).status).toBe(200);
  });

  it('refuses a token that was replaced by a newer one', async () => {
    const { email } = await platform.signUp({ organization: null });
    const older = await resetToken(email);
    const newer = await resetToken(email);
    expect((await reset(platform, older, newPassword)).body.type).toBe(invalidToken);
    expect((await reset(platform, newer, newPassword)).status).toBe(200);
  });

  it('refuses a token of a verification mail', async () => {
    const email = newEmail();
    await register(platform, { email });
    const { token } = await platform.lastMail(email);
    expect((await reset(platform, token, newPassword)).body.type).toBe(invalidToken);
  });

  it('refuses a token of an account that was disabled since', async () => {
    const user = await platform.signUp();
    const token = await resetToken(user.email);
    await platform.database.sql`update users set is_active = false where id = ${user.userId}`;
    expect((await reset(platform, token, newPassword)).body.type).toBe(invalidToken);
  });

  it('lists every broken rule of the new password, and keeps the token for another try', async () => {
    const { email } = await platform.signUp({ organization: null });
    const token = await resetToken(email);
    const reply = await reset(platform, token, 'brevity;');
    expect(reply).toMatchObject({ status: 422, body: { type: '/problems/password-rejected' } });
    expect((reply.body.violations as { rule: string }[]).map(({ rule }) => rule)).toEqual(['min_length', 'digit']);
    expect((await login(platform, email, testPassword)).status).toBe(200);
    expect((await reset(platform, token, newPassword)).status).toBe(200);
  });
});
