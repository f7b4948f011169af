import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startIssuer, type Issuer } from '../../../support/issuer.js';
import { testPassword, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { auditOf } from '../auth/stored.js';
import { begin, complete, logInAs, newAccount, problem, redirectUriOf, startPlatformFor } from './requests.js';

let issuer: Issuer;
let platform: TestPlatform;
beforeAll(async () => {
  issuer = await startIssuer([redirectUriOf('oidc')]);
  platform = await startPlatformFor(issuer);
});
afterAll(async () => {
  await platform.stop();
  await issuer.stop();
});

const path = '/api/v1/auth/me/identities';

const list = (token: string): Promise<JsonReply> => platform.json('GET', path, { token });
const unlink = (token: string, id: string): Promise<JsonReply> => platform.json('DELETE', `${path}/${id}`, { token });

async function linked(): Promise<{ user: TestUser; account: ReturnType<typeof newAccount>; id: string }> {
  const user = await platform.signUp();
  const account = newAccount();
  const reply = await logInAs(platform, issuer, account, { token: user.accessToken });
  expect(reply.status).toBe(200);
  const { body } = await list(user.accessToken);
  return { user, account, id: String(body.items[0].id) };
}

describe('linking an identity', () => {
  it('lets it log in to the account, is recorded, and causes a mail', async () => {
    const user = await platform.signUp();
    const account = newAccount();
    const reply = await logInAs(platform, issuer, account, { token: user.accessToken, returnTo: '/account' });
    expect(reply).toMatchObject({
      status: 200,
      body: { status: 'identity_linked', provider: 'oidc', return_to: '/account' },
    });
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'IDENTITY_LINKED', user_id: user.userId, note: 'oidc' },
    ]);
    const mail = await platform.lastMail(user.email);
    expect(mail.subject).toBe('A way to log in was added to your account');
    expect(mail.text).toContain(`The Example SSO account ${account.email} can log in`);
    expect((await list(user.accessToken)).body).toMatchObject({
      has_password: true,
      items: [{ provider: 'oidc', name: 'Example SSO', email: account.email, is_usable: true, last_used_at: null }],
    });
    const login = await logInAs(platform, issuer, account);
    expect(login.body).toMatchObject({ needs_onboarding: false, user: { id: user.userId, org_id: user.orgId } });
  });

  it('needs a session that has begun a short time ago', async () => {
    const user = await platform.signUp();
    platform.clock.advance(601);
    const reply = await platform.json('POST', '/api/v1/auth/providers/oidc/link', {
      body: {},
      token: user.accessToken,
    });
    expect(problem(reply)).toBe('403 recent-login-required');
  });

  it('needs a session', async () => {
    expect((await platform.json('POST', '/api/v1/auth/providers/oidc/link', { body: {} })).status).toBe(401);
  });

  it('fails if the session has ended meanwhile', async () => {
    const user = await platform.signUp();
    issuer.account = newAccount();
    const { url, cookie } = await begin(platform, { token: user.accessToken });
    const back = await issuer.authorize(url.href);
    await platform.json('POST', '/api/v1/auth/logout', { body: { refresh_token: user.refreshToken } });
    const reply = await complete(platform, back.search.slice(1), { cookie });
    expect(problem(reply)).toBe('400 invalid-login-attempt');
  });

  it('fails in the browser of somebody else, who would give the account away otherwise', async () => {
    const attacker = await platform.signUp();
    issuer.account = newAccount();
    const { url } = await begin(platform, { token: attacker.accessToken });
    const victim = await begin(platform);
    const back = await issuer.authorize(url.href);
    const reply = await complete(platform, back.search.slice(1), { cookie: victim.cookie });
    expect(problem(reply)).toBe('400 invalid-login-attempt');
  });

  it('fails for an identity without a verified address', async () => {
    const user = await platform.signUp();
    const account = newAccount({ email_verified: false });
    const reply = await logInAs(platform, issuer, account, { token: user.accessToken });
    expect(problem(reply)).toBe('403 email-not-verified');
  });

  it('fails if another account has the identity, and if the account has another one', async () => {
    const { user, account } = await linked();
    const other = await platform.signUp();
    const taken = await logInAs(platform, issuer, account, { token: other.accessToken });
    expect(problem(taken)).toBe('409 identity-already-linked');
    const second = await logInAs(platform, issuer, newAccount(), { token: user.accessToken });
    expect(problem(second)).toBe('409 identity-already-linked');
  });
});

describe('unlinking an identity', () => {
  it('ends it, is recorded, and causes a mail', async () => {
    const { user, account, id } = await linked();
    const reply = await unlink(user.accessToken, id);
    expect(reply.status).toBe(204);
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'IDENTITY_UNLINKED', note: 'oidc' }]);
    expect((await platform.lastMail(user.email)).subject).toBe('A way to log in was removed from your account');
    expect((await list(user.accessToken)).body.items).toEqual([]);
    expect(problem(await unlink(user.accessToken, id))).toBe('404 identity-not-found');
    // The identity is that of a stranger again.
    expect((await logInAs(platform, issuer, account)).body.user.id).not.toBe(user.userId);
  });

  it('fails for the last way to log in, until there is a password', async () => {
    const account = newAccount();
    const { body } = await logInAs(platform, issuer, account);
    const token = String(body.access_token);
    const id = String((await list(token)).body.items[0].id);
    expect(problem(await unlink(token, id))).toBe('409 last-way-to-log-in');
    await platform.json('POST', '/api/v1/auth/forgot-password', { body: { email: account.email } });
    const reset = { token: (await platform.lastMail(account.email)).token, new_password: testPassword };
    await platform.json('POST', '/api/v1/auth/reset-password', { body: reset });
    const login = await platform.json('POST', '/api/v1/auth/login', {
      body: { email: account.email, password: testPassword },
    });
    expect((await unlink(String(login.body.access_token), id)).status).toBe(204);
  });

  it('fails for the last one of a provider that is configured', async () => {
    const { body } = await logInAs(platform, issuer, newAccount());
    const [token, userId] = [String(body.access_token), String(body.user.id)];
    await platform.database.sql`
      insert into user_identities (user_id, provider, issuer, subject, email, linked_at)
      values (${userId}, 'gitlab', 'https://gitlab.example', ${userId}, 'a@example.com', now() + interval '1 year')`;
    const { items } = (await list(token)).body;
    expect(items).toMatchObject([{ is_usable: true }, { name: 'gitlab', is_usable: false }]);
    expect(problem(await unlink(token, String(items[0].id)))).toBe('409 last-way-to-log-in');
    expect((await unlink(token, String(items[1].id))).status).toBe(204);
  });

  it('needs a session that has begun a short time ago', async () => {
    const { user, id } = await linked();
    platform.clock.advance(601);
    expect(problem(await unlink(user.accessToken, id))).toBe('403 recent-login-required');
  });

  it('is impossible for somebody else', async () => {
    const [{ id }, other] = [await linked(), await platform.signUp()];
    expect(problem(await unlink(other.accessToken, id))).toBe('404 identity-not-found');
  });
});

describe('an account with an identity', () => {
  it('exports it', async () => {
    const { user, account } = await linked();
    const reply = await platform.json('POST', '/api/v1/auth/account-export', {
      ...{ token: user.accessToken, body: { current_password: user.password } },
    });
    const identity = { provider: 'oidc', issuer: issuer.url, subject: account.sub, email: account.email };
    expect(reply.body.identities).toMatchObject([identity]);
  });

  it('loses it when it is deleted', async () => {
    const user = await platform.signUp({ organization: null });
    const account = newAccount();
    await logInAs(platform, issuer, account, { token: user.accessToken });
    await begin(platform, { token: user.accessToken });
    const reply = await platform.json('POST', '/api/v1/auth/account-deletion', {
      ...{ token: user.accessToken, body: { current_password: user.password } },
    });
    expect(reply.status).toBe(200);
    const { sql } = platform.database;
    expect(await sql`select 1 from user_identities where subject = ${account.sub}`).toHaveLength(0);
    expect(await sql`select 1 from login_attempts where user_id = ${user.userId}`).toHaveLength(0);
  });

  it('loses it when its holder says "this was not me"', async () => {
    const { user, account } = await linked();
    const { token } = await platform.lastMail(user.email);
    expect((await platform.json('POST', '/api/v1/auth/secure-account', { body: { token } })).status).toBe(200);
    const reply = await logInAs(platform, issuer, account);
    expect(reply.body.user?.id).not.toBe(user.userId);
  });
});
