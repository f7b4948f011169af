import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { totpStep } from '../../../../src/platform/identity/mfa/totp.js';
import { startTestPlatform, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { totpCode } from '../../../support/totp.js';
import { auditOf } from '../auth/stored.js';
import { enroll, logIn, problem, verify } from './requests.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const path = '/api/v1/auth/me/mfa';
const state = (token: string): Promise<JsonReply> => platform.json('GET', path, { token });
const start = (token: string): Promise<JsonReply> => platform.json('POST', `${path}/totp`, { token });
const confirm = (token: string, code: string): Promise<JsonReply> =>
  platform.json('POST', `${path}/totp/verify`, { token, body: { code } });
const remove = (token: string): Promise<JsonReply> => platform.json('DELETE', `${path}/totp`, { token });
const rotate = (token: string): Promise<JsonReply> => platform.json('POST', `${path}/recovery-codes`, { token });

describe('codes', () => {
  // RFC 6238, appendix B, the last six digits
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at %d s', (seconds, code) => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    const at = new Date(seconds * 1000);
    expect(totpCode(secret, at)).toBe(code);
    expect(totpStep(secret, code, at)).toBe(Math.floor(seconds / 30));
    expect(totpStep(secret, code, new Date(at.getTime() + 30_000))).toBe(Math.floor(seconds / 30));
    expect(totpStep(secret, code, new Date(at.getTime() + 60_000))).toBeNull();
  });
});

describe('setting up an authenticator app', () => {
  it('counts from its first code, gives recovery codes, is recorded, and causes a mail', async () => {
    const user = await platform.signUp();
    expect((await state(user.accessToken)).body).toEqual({
      totp_enabled_at: null,
      recovery_codes_left: 0,
      passkeys: [],
    });
    const started = await start(user.accessToken);
    const uri = new URL(String(started.body.otpauth_uri));
    expect(uri.searchParams.get('secret')).toBe(started.body.secret);
    expect(decodeURIComponent(uri.pathname)).toContain(user.email);
    expect((await logIn(platform, user)).body).toHaveProperty('access_token');
    const reply = await confirm(user.accessToken, totpCode(String(started.body.secret), platform.clock.now()));
    expect(reply.status).toBe(200);
    expect(new Set(reply.body.recovery_codes).size).toBe(10);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'MFA_CHANGED', user_id: user.userId, note: 'totp_added' },
    ]);
    const mail = await platform.lastMail(user.email);
    expect(mail.text).toContain('An authenticator app was set up');
    expect((await state(user.accessToken)).body).toEqual({
      ...{ totp_enabled_at: expect.any(String), recovery_codes_left: 10, passkeys: [] },
    });
  });

  it('neither stores nor logs the secret and the recovery codes as they are', async () => {
    const { user, secret, recoveryCodes } = await enroll(platform);
    const { sql } = platform.database;
    const rows = await sql`
      select encode(secret_sealed, 'escape') as text from totp_secrets where user_id = ${user.userId}
      union all select encode(code_hash, 'escape') from recovery_codes where user_id = ${user.userId}`;
    const stored = rows.map((row) => String(row['text'])).join(' ');
    for (const value of [secret, ...recoveryCodes]) {
      expect(stored).not.toContain(value);
      expect(platform.logLines.join('')).not.toContain(value);
    }
  });

  it('can begin again with another secret, and then knows no code of the first', async () => {
    const { accessToken: token } = await platform.signUp();
    const [first, second] = [await start(token), await start(token)];
    const now = platform.clock.now();
    expect(problem(await confirm(token, totpCode(String(first.body.secret), now)))).toBe('403 wrong-code');
    expect((await confirm(token, totpCode(String(second.body.secret), now))).status).toBe(200);
  });

  it('is refused if there is one, and without a beginning', async () => {
    const { user } = await enroll(platform);
    expect(problem(await start(user.accessToken))).toBe('409 totp-enabled');
    expect(problem(await confirm(user.accessToken, '123456'))).toBe('409 totp-not-started');
  });

  it('needs a fresh proof', async () => {
    const { accessToken: token } = await platform.signUp();
    await start(token);
    platform.clock.advance(601);
    for (const reply of [
      await start(token),
      await confirm(token, '123456'),
      await remove(token),
      await rotate(token),
    ]) {
      expect(problem(reply)).toBe('403 recent-login-required');
    }
  });
});

describe('an account with an authenticator app', () => {
  it('can replace its recovery codes', async () => {
    const { user, recoveryCodes, enter } = await enroll(platform);
    const reply = await rotate(await enter());
    expect(reply.status).toBe(200);
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'MFA_CHANGED', note: 'recovery_codes_replaced' }]);
    const { body: login } = await logIn(platform, user);
    const { mfa_token: mfaToken } = login;
    expect(problem(await verify(platform, { mfa_token: mfaToken, recovery_code: recoveryCodes[0] }))).toBe(
      '403 wrong-code',
    );
    const [fresh] = reply.body.recovery_codes as string[];
    expect((await verify(platform, { mfa_token: mfaToken, recovery_code: fresh })).status).toBe(200);
  });

  it('can remove it, and then logs in without a code', async () => {
    const { user, enter } = await enroll(platform);
    const token = await enter();
    const reply = await remove(token);
    expect(reply.status).toBe(204);
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'MFA_CHANGED', note: 'totp_removed' }]);
    expect((await platform.lastMail(user.email)).text).toContain('was removed');
    expect((await state(token)).body).toEqual({ totp_enabled_at: null, recovery_codes_left: 0, passkeys: [] });
    expect((await logIn(platform, user)).body).toHaveProperty('access_token');
    expect((await remove(token)).status).toBe(204);
    expect(problem(await rotate(token))).toBe('409 no-second-factor');
  });
});
