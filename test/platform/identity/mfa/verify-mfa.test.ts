import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { auditOf } from '../auth/stored.js';
import { enroll, logIn, problem, verify } from './requests.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({
    environment: { AUTH_LOGIN_ATTEMPT_LIMIT: '100000/hour', AUTH_LOGIN_IP_LIMIT: '100000/hour' },
  });
});
afterAll(() => platform.stop());

describe('a log-in to an account with an authenticator app', () => {
  it('starts no session before the code', async () => {
    const { user, nextCode } = await enroll(platform);
    const login = await logIn(platform, user);
    expect(login).toMatchObject({
      status: 200,
      body: { status: 'mfa_required', methods: ['totp', 'recovery_code'], expires_in: 600 },
    });
    expect(login.body).not.toHaveProperty('access_token');
    const reply = await verify(platform, { mfa_token: login.body.mfa_token, code: nextCode() });
    expect(reply).toMatchObject({ status: 200, body: { user: { id: user.userId, org_id: user.orgId } } });
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'LOGIN', user_id: user.userId }]);
  });

  it('accepts the code before, once, and none that was used in another log-in', async () => {
    const { user, nextCode } = await enroll(platform);
    const [first, second] = [await logIn(platform, user), await logIn(platform, user)];
    const code = nextCode();
    platform.clock.advance(30);
    expect((await verify(platform, { mfa_token: first.body.mfa_token, code })).status).toBe(200);
    expect(problem(await verify(platform, { mfa_token: second.body.mfa_token, code }))).toBe('403 wrong-code');
  });

  it('lets one of two requests with the same code in', async () => {
    const { user, nextCode } = await enroll(platform);
    const logins = [await logIn(platform, user), await logIn(platform, user)];
    const code = nextCode();
    const replies = await Promise.all(logins.map(({ body }) => verify(platform, { mfa_token: body.mfa_token, code })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  it('accepts each recovery code once, whatever its case and spaces, and mails about it', async () => {
    const { user, recoveryCodes } = await enroll(platform);
    const [code = ''] = recoveryCodes;
    const login = await logIn(platform, user);
    const typed = ` ${code.toUpperCase().replaceAll('-', ' ')}`;
    expect((await verify(platform, { mfa_token: login.body.mfa_token, recovery_code: typed })).status).toBe(200);
    expect((await platform.lastMail(user.email)).text).toContain('A recovery code of your Plumbline account was used');
    const next = await logIn(platform, user);
    expect(problem(await verify(platform, { mfa_token: next.body.mfa_token, recovery_code: code }))).toBe(
      '403 wrong-code',
    );
  });

  it('keeps the organization that it asked for', async () => {
    const { user, nextCode } = await enroll(platform);
    const owner = await platform.signUp();
    const invite = { token: owner.accessToken, body: { email: user.email, role: 'viewer' } };
    await platform.json('POST', `/api/v1/organizations/${owner.orgId}/invites`, invite);
    const { token } = await platform.lastMail(user.email);
    await platform.json('POST', '/api/v1/auth/accept-invite', { token: user.accessToken, body: { token } });
    const login = await logIn(platform, user, owner.orgId);
    const reply = await verify(platform, { mfa_token: login.body.mfa_token, code: nextCode() });
    expect(reply.body.user).toMatchObject({ org_id: owner.orgId, role: 'viewer' });
  });
});

describe('the token of a log-in', () => {
  it('works once', async () => {
    const { user, nextCode } = await enroll(platform);
    const login = await logIn(platform, user);
    const body = { mfa_token: login.body.mfa_token };
    expect((await verify(platform, { ...body, code: nextCode() })).status).toBe(200);
    expect(problem(await verify(platform, { ...body, code: nextCode() }))).toBe('400 invalid-mfa-token');
  });

  it('ends after 10 minutes', async () => {
    const { user, nextCode } = await enroll(platform);
    const login = await logIn(platform, user);
    platform.clock.advance(600);
    const reply = await verify(platform, { mfa_token: login.body.mfa_token, code: nextCode() });
    expect(problem(reply)).toBe('400 invalid-mfa-token');
  });

  it('ends with a change of the password, and with the account', async () => {
    const { user, nextCode } = await enroll(platform);
    const { sql } = platform.database;
    const login = await logIn(platform, user);
    const body = { mfa_token: login.body.mfa_token };
    await sql`update users set token_version = token_version + 1 where id = ${user.userId}`;
    expect(problem(await verify(platform, { ...body, code: nextCode() }))).toBe('400 invalid-mfa-token');
    await sql`update users set token_version = token_version - 1, is_active = false where id = ${user.userId}`;
    expect(problem(await verify(platform, { ...body, code: nextCode() }))).toBe('400 invalid-mfa-token');
  });

  it('does not work after the member has left the organization', async () => {
    const { user, nextCode } = await enroll(platform);
    const login = await logIn(platform, user, user.orgId);
    await platform.database.sql`delete from memberships where user_id = ${user.userId}`;
    const reply = await verify(platform, { mfa_token: login.body.mfa_token, code: nextCode() });
    expect(problem(reply)).toBe('400 invalid-mfa-token');
  });

  it('is stored as a hash', async () => {
    const { user } = await enroll(platform);
    const { body } = await logIn(platform, user);
    const stored = await platform.database.sql`select row_to_json(a)::text as text from mfa_attempts a`;
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(body.mfa_token);
    expect(platform.logLines.join('')).not.toContain(body.mfa_token);
  });
});

describe('guessed codes', () => {
  it('lock the second factor of the account in all log-ins, for 15 minutes, and are recorded', async () => {
    const { user, nextCode, recoveryCodes } = await enroll(platform);
    for (let count = 0; count < 5; count += 1) {
      const login = await logIn(platform, user);
      const reply = await verify(platform, { mfa_token: login.body.mfa_token, code: '000000' });
      expect(problem(reply)).toBe('403 wrong-code');
      expect(await auditOf(platform, reply)).toMatchObject([{ action: 'LOGIN_FAILED', note: 'wrong second factor' }]);
    }
    const login = await logIn(platform, user);
    const body = { mfa_token: login.body.mfa_token };
    for (const factor of [{ code: nextCode() }, { recovery_code: recoveryCodes[0] }]) {
      const reply = await verify(platform, { ...body, ...factor });
      expect(problem(reply)).toBe('429 account-locked');
      expect(reply.headers.get('Retry-After')).not.toBeNull();
    }
    platform.clock.advance(900);
    const later = await logIn(platform, user);
    expect((await verify(platform, { mfa_token: later.body.mfa_token, code: nextCode() })).status).toBe(200);
  });

  it('are not forgiven by a new password, which only needs the mailbox', async () => {
    const { user, nextCode } = await enroll(platform);
    const login = await logIn(platform, user);
    for (let count = 0; count < 5; count += 1) {
      await verify(platform, { mfa_token: login.body.mfa_token, code: '000000' });
    }
    await platform.json('POST', '/api/v1/auth/forgot-password', { body: { email: user.email } });
    const { token } = await platform.lastMail(user.email);
    const password = 'nine loud harbours 9';
    await platform.json('POST', '/api/v1/auth/reset-password', { body: { token, new_password: password } });
    const again = await logIn(platform, { ...user, password });
    const reply = await verify(platform, { mfa_token: again.body.mfa_token, code: nextCode() });
    expect(problem(reply)).toBe('429 account-locked');
  });
});
