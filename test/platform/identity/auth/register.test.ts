import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, testPassword, type TestPlatform } from '../../../support/platform.js';
import { login, newEmail, register, simultaneously } from './requests.js';
import { auditOf, storedMemberships, storedOneTimeTokens, storedUser, storedUsers } from './stored.js';

describe('registration in guided onboarding mode', () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform({ environment: { AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'false' } });
  });
  afterAll(() => platform.stop());

  it('creates an unverified local user without an organization', async () => {
    const email = newEmail();
    const reply = await register(platform, { email, full_name: 'Robin Example', org_name: 'Not Made' });
    expect(reply).toMatchObject({ status: 201, body: { org_id: null } });
    const user = await storedUser(platform, email);
    expect(user).toMatchObject({
      id: reply.body.user_id,
      full_name: 'Robin Example',
      auth_provider: 'local',
      is_verified: false,
      is_active: true,
      last_login_at: null,
    });
    expect(await storedMemberships(platform, user.id)).toEqual([]);
  });

  it('keeps the password as a bcrypt hash only', async () => {
    const email = newEmail();
    await register(platform, { email });
    const { password_hash: hash } = await storedUser(platform, email);
    expect(hash).toMatch(/^\$2[aby]\$04\$[./A-Za-z0-9]{53}$/);
  });

  it('records the event with address, user agent and user', async () => {
    const email = newEmail();
    const headers = { 'User-Agent': 'registration test' };
    const reply = await platform.json('POST', '/api/v1/auth/register', {
      body: { email, password: testPassword },
      headers,
    });
    expect(await auditOf(platform, reply)).toEqual([
      {
        action: 'REGISTER',
        resource_kind: 'USER',
        resource_id: reply.body.user_id,
        org_id: null,
        user_id: reply.body.user_id,
        status: 'success',
        note: null,
        ip: '127.0.0.1',
        user_agent: 'registration test',
      },
    ]);
  });

  it('sends a link with a token of 256 bits, of which the database holds the SHA-256', async () => {
    const email = newEmail();
    const reply = await register(platform, { email });
    const { token, text } = await platform.lastMail(email);
    expect(text).toContain(`${platform.url}/verify?token=${token}`);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const [stored] = await storedOneTimeTokens(platform, reply.body.user_id);
    expect(stored?.kind).toBe('verification');
    expect(Buffer.from(stored?.token_hash ?? [])).toEqual(createHash('sha256').update(token).digest());
  });

  it('answers even if the mail server refuses the mail, and delivers it later', async () => {
    const email = newEmail();
    platform.mailbox.refuse('451 try later');
    const reply = await register(platform, { email });
    await platform.running.mails.drain();
    platform.mailbox.refuse(null);
    expect(reply.status).toBe(201);
    expect(platform.mailbox.to(email)).toEqual([]);
    platform.clock.advance(60);
    expect((await platform.lastMail(email)).subject).toBe('Verify your e-mail address');
  });

  it('normalizes the e-mail', async () => {
    const email = newEmail();
    await register(platform, { email: email.toUpperCase() });
    expect((await storedUser(platform, email)).email).toBe(email);
    expect((await login(platform, email)).body.status).toBe('email_verification_required');
  });

  it('refuses an e-mail that is registered in another case, and does not change its account', async () => {
    const email = newEmail();
    await register(platform, { email });
    const before = await storedUser(platform, email);
    const reply = await register(platform, { email: email.toUpperCase(), password: 'another quiet river 8' });
    expect(reply).toMatchObject({ status: 400, body: { message: 'Email already registered' } });
    expect(await storedUsers(platform, email)).toEqual([before]);
    expect(await auditOf(platform, reply)).toEqual([]);
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toHaveLength(1);
  });

  it('lists every broken password rule at once, before it looks up the e-mail', async () => {
    const email = newEmail();
    await register(platform, { email });
    const reply = await register(platform, { email, password: '!!' });
    expect(reply.status).toBe(422);
    expect(reply.body.type).toBe('/problems/password-rejected');
    const rules = (reply.body.violations as { rule: string }[]).map(({ rule }) => rule);
    expect(rules).toEqual(['min_length', 'letter', 'digit']);
  });

  it('creates nothing when the password is refused', async () => {
    const email = newEmail();
    const reply = await register(platform, { email, password: 'password' });
    expect(reply.status).toBe(422);
    expect(await storedUsers(platform, email)).toEqual([]);
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toEqual([]);
  });

  it('names every wrong field of a body', async () => {
    const body = { email: 'nobody', full_name: '', org_name: 'x'.repeat(101), role: 'owner' };
    const reply = await platform.json('POST', '/api/v1/auth/register', { body });
    expect(reply).toMatchObject({ status: 422, body: { type: '/problems/validation-failed' } });
    const found = (reply.body.violations as { path: string; rule: string }[]).map(({ path, rule }) => [path, rule]);
    expect(found).toEqual(
      expect.arrayContaining([
        ['/body/email', 'format'],
        ['/body/password', 'required'],
        ['/body/full_name', 'minLength'],
        ['/body/org_name', 'maxLength'],
        ['/body/role', 'additionalProperties'],
      ]),
    );
  });

  it('accepts one of fifty simultaneous registrations of an e-mail', async () => {
    const email = newEmail();
    const replies = await simultaneously(50, (index) =>
      register(platform, { email: index % 2 === 0 ? email : email.toUpperCase() }),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ body }) => body.message === 'Email already registered')).toHaveLength(49);
    const user = await storedUser(platform, email);
    expect(await storedOneTimeTokens(platform, user.id)).toHaveLength(1);
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toHaveLength(1);
  });
});
