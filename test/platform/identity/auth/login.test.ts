import { hashSync } from '@node-rs/bcrypt';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, testPassword, type TestPlatform } from '../../../support/platform.js';
import { login, newEmail, register, verify, withoutRequestId } from './requests.js';
import { auditOf, storedRefreshTokens, storedUser } from './stored.js';
import { acceptInvite, invite, onboardingState } from '../onboarding/requests.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

function loginTo(email: string, orgId: string | null): ReturnType<TestPlatform['json']> {
  const body = { email, password: testPassword, org_id: orgId };
  return platform.json('POST', '/api/v1/auth/login', { body });
}

describe('a login with the right password', () => {
  it('answers with a token pair and every field of the user', async () => {
    const { email, userId, orgId } = await platform.signUp();
    const { status, body } = await login(platform, email);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'bearer', expires_in: 900, needs_onboarding: false });
    expect(body.user).toEqual({
      id: userId,
      email,
      full_name: null,
      is_verified: true,
      is_superuser: false,
      auth_provider: 'local',
      org_id: orgId,
      role: 'owner',
      last_login_at: expect.any(String) as string,
    });
  });

  it('stores when it happened', async () => {
    const { email } = await platform.signUp({ organization: null });
    const before = await storedUser(platform, email);
    platform.clock.advance(60);
    const { body } = await login(platform, email);
    const after = await storedUser(platform, email);
    expect(Number(after.last_login_at)).toBeGreaterThanOrEqual(Number(before.last_login_at) + 60_000);
    expect(body.user.last_login_at).toBe(after.last_login_at?.toISOString());
  });

  it('stores a refresh token of a new family, good for 7 days, in a session of 30', async () => {
    const { email, userId, orgId } = await platform.signUp();
    const before = (await storedRefreshTokens(platform, userId)).map((each) => each.family_id);
    await login(platform, email);
    const stored = (await storedRefreshTokens(platform, userId)).at(-1);
    expect(before).not.toContain(stored?.family_id);
    expect(stored).toMatchObject({ org_id: orgId, revocation_reason: null });
    const days = (to: Date | undefined): number => (Number(to) - Number(stored?.created_at)) / 86_400_000;
    expect([days(stored?.expires_at), days(stored?.family_expires_at)]).toEqual([7, 30]);
  });

  it('is recorded', async () => {
    const { email, userId, orgId } = await platform.signUp();
    expect(await auditOf(platform, await login(platform, email))).toMatchObject([
      { action: 'LOGIN', resource_kind: 'SESSION', org_id: orgId, user_id: userId, status: 'success', note: null },
    ]);
  });

  it('does not depend on the case of the e-mail', async () => {
    const { email } = await platform.signUp({ organization: null });
    expect((await login(platform, email.toUpperCase())).status).toBe(200);
  });

  it('sends a user without an organization to onboarding, with orgless tokens', async () => {
    const { email, userId } = await platform.signUp({ organization: null });
    const { body } = await login(platform, email);
    expect(body).toMatchObject({ needs_onboarding: true, user: { org_id: null, role: null } });
    expect((await storedRefreshTokens(platform, userId)).at(-1)?.org_id).toBeNull();
  });

  it('does not send an account of another provider to onboarding before it is verified', async () => {
    const { email } = await platform.signUp({ organization: null });
    await platform.database.sql`update users set is_verified = false, auth_provider = 'oidc' where email = ${email}`;
    const { body } = await login(platform, email);
    expect(body).toMatchObject({ needs_onboarding: false, user: { is_verified: false, org_id: null } });
    expect((await onboardingState(platform, body.access_token)).status).toBe(403);
  });

  it('does not send a superuser to onboarding', async () => {
    const { email } = await platform.signUp({ organization: null });
    await platform.database.sql`update users set is_superuser = true where email = ${email}`;
    expect((await login(platform, email)).body).toMatchObject({ needs_onboarding: false, user: { org_id: null } });
  });

  it('is for an account of another provider that has a password, verified or not', async () => {
    const email = newEmail();
    await register(platform, { email });
    await platform.database.sql`update users set auth_provider = 'example' where email = ${email}`;
    const { body } = await login(platform, email);
    expect(body.user).toMatchObject({ auth_provider: 'example', is_verified: false });
  });
});

describe('the organization of a login', () => {
  it('is the one that the user worked in last, unless the request names one', async () => {
    const owner = await platform.signUp();
    const user = await platform.signUp();
    const { token } = await invite(platform, owner, user.email, 'viewer');
    await acceptInvite(platform, user.accessToken, token);

    const inOwn = { org_id: user.orgId, role: 'owner' };
    const inOther = { org_id: owner.orgId, role: 'viewer' };
    expect((await login(platform, user.email)).body.user).toMatchObject(inOther);
    platform.clock.advance(1);
    expect((await loginTo(user.email, user.orgId)).body.user).toMatchObject(inOwn);
    platform.clock.advance(1);
    const session = await loginTo(user.email, null);
    expect(session.body.user).toMatchObject(inOwn);
    const switchTo = { token: session.body.access_token, body: { org_id: owner.orgId } };
    expect((await platform.json('POST', '/api/v1/auth/switch-org', switchTo)).status).toBe(200);
    expect((await login(platform, user.email)).body.user).toMatchObject(inOther);
  });

  it('is the first one that the user joined, after the last one has removed the user', async () => {
    const owner = await platform.signUp();
    const user = await platform.signUp();
    const { token } = await invite(platform, owner, user.email, 'viewer');
    await acceptInvite(platform, user.accessToken, token);
    const path = `/api/v1/organizations/${owner.orgId}/members/${user.userId}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(200);
    expect((await login(platform, user.email)).body.user).toMatchObject({ org_id: user.orgId, role: 'owner' });
  });

  it.each([
    ['one that the user is not a member of', async () => (await platform.signUp()).orgId],
    ['one that does not exist', () => Promise.resolve(randomUUID())],
  ])('must not be %s: no session starts, and it is recorded', async (_name, orgId) => {
    const user = await platform.signUp();
    const before = [await storedRefreshTokens(platform, user.userId), await storedUser(platform, user.email)];
    const reply = await loginTo(user.email, await orgId());
    expect(reply).toMatchObject({ status: 403, body: { type: '/problems/not-a-member' } });
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'LOGIN_FAILED', user_id: user.userId, status: 'failure', note: 'not a member of the organization' },
    ]);
    const after = [await storedRefreshTokens(platform, user.userId), await storedUser(platform, user.email)];
    expect(after).toEqual(before);
  });
});

describe('a login with the right password of an unverified account', () => {
  it('answers 200 with the missing step, and no tokens', async () => {
    const email = newEmail();
    const { body: registered } = await register(platform, { email });
    const reply = await login(platform, email.toUpperCase());
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      status: 'email_verification_required',
      email,
      message: expect.any(String) as string,
    });
    expect(await storedRefreshTokens(platform, registered.user_id)).toEqual([]);
    expect((await storedUser(platform, email)).last_login_at).toBeNull();
  });

  it('is recorded as a failure with its reason', async () => {
    const email = newEmail();
    const { body } = await register(platform, { email });
    expect(await auditOf(platform, await login(platform, email))).toMatchObject([
      { action: 'LOGIN_FAILED', user_id: body.user_id, status: 'failure', note: 'email not verified' },
    ]);
  });
});

describe('the four reasons for invalid credentials', () => {
  const failures = async (email: string): Promise<unknown> =>
    platform.database.sql`
      select 1 from login_failures where email = ${email} or starts_with(email, ${`${email} `})`;

  const reasons: Readonly<Record<string, { email: () => Promise<string>; password: string }>> = {
    'nobody has the e-mail': { email: () => Promise.resolve(newEmail()), password: testPassword },
    'the account is disabled': {
      email: async () => {
        const { email } = await platform.signUp({ organization: null });
        await platform.database.sql`update users set is_active = false where email = ${email}`;
        return email;
      },
      password: testPassword,
    },
    'the account has no password': {
      email: async () => {
        const { email } = await platform.signUp({ organization: null });
        await platform.database.sql`
          update users set password_hash = null, auth_provider = 'example' where email = ${email}`;
        return email;
      },
      password: testPassword,
    },
    'the password is another': {
      email: async () => (await platform.signUp({ organization: null })).email,
      password: 'another quiet river 8',
    },
  };

  it.each(Object.entries(reasons))('look the same when %s', async (_name, { email: emailOf, password }) => {
    const email = await emailOf();
    const reply = await login(platform, email, password);
    expect(reply.headers.get('WWW-Authenticate')).toBe('Bearer');
    expect(withoutRequestId(reply)).toEqual({
      status: 401,
      body: {
        type: '/problems/invalid-credentials',
        title: 'Invalid credentials',
        status: 401,
        message: 'Invalid credentials',
      },
    });
    expect(await failures(email)).toHaveLength(1);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'LOGIN_FAILED', status: 'failure', ip: '127.0.0.1', note: 'invalid credentials' },
    ]);
  });

  it('do not touch the time of the last login', async () => {
    const { email } = await platform.signUp({ organization: null });
    const before = await storedUser(platform, email);
    await login(platform, email, 'another quiet river 8');
    expect(await storedUser(platform, email)).toEqual(before);
  });

  it('include a password that only begins with the right 72 bytes', async () => {
    const email = newEmail();
    const password = 'quiet river 7 '.repeat(6).slice(0, 72);
    await register(platform, { email, password });
    expect((await login(platform, email, `${password}!`)).status).toBe(401);
    expect((await login(platform, email, password)).status).toBe(200);
  });
});

describe('a password whose letters keyboards send in several ways', () => {
  const composed = 'über sieben Flüssen 7';
  const storedHash = async (email: string): Promise<string> => {
    const [row] = await platform.database.sql<{ password_hash: string }[]>`
      select password_hash from users where email = ${email}`;
    return row?.password_hash ?? '';
  };

  it('logs in from every keyboard', async () => {
    const email = newEmail();
    await register(platform, { email, password: composed.normalize('NFD') });
    await verify(platform, (await platform.lastMail(email)).token);
    for (const form of ['NFC', 'NFD'])
      expect((await login(platform, email, composed.normalize(form))).status).toBe(200);
  });

  it('that was stored as it was sent logs in, and from every keyboard afterwards', async () => {
    const { email } = await platform.signUp({ organization: null });
    const before = hashSync(composed.normalize('NFD'), 4);
    await platform.database.sql`update users set password_hash = ${before} where email = ${email}`;
    expect((await login(platform, email, composed)).status).toBe(401);
    expect((await login(platform, email, composed.normalize('NFD'))).status).toBe(200);
    const after = await storedHash(email);
    expect(after).not.toBe(before);
    for (const form of ['NFC', 'NFD'])
      expect((await login(platform, email, composed.normalize(form))).status).toBe(200);
    expect(await storedHash(email)).toBe(after);
  });
});
