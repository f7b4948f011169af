import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startIssuer, type Issuer } from '../../../support/issuer.js';
import { testPassword, type TestPlatform } from '../../../support/platform.js';
import { me, simultaneously } from '../auth/requests.js';
import { auditOf } from '../auth/stored.js';
import {
  appBaseUrl,
  begin,
  complete,
  logInAs,
  newAccount,
  problem,
  redirectUriOf,
  startPlatformFor,
} from './requests.js';

let issuer: Issuer;
let platform: TestPlatform;
beforeAll(async () => {
  issuer = await startIssuer([redirectUriOf('oidc')]);
  platform = await startPlatformFor(issuer);
});
beforeEach(() => {
  Object.assign(issuer, { forge: null, fault: null });
});
afterAll(async () => {
  await platform.stop();
  await issuer.stop();
});

async function accountsOf(email: string): Promise<number> {
  const rows = await platform.database.sql`select 1 from users where email = ${email}`;
  return rows.length;
}

describe('the list of identity providers', () => {
  it('names those that are configured', async () => {
    const reply = await platform.json('GET', '/api/v1/auth/providers');
    expect(reply).toMatchObject({ status: 200, body: { items: [{ provider: 'oidc', name: 'Example SSO' }] } });
  });
});

describe('the first log-in with an identity', () => {
  it('creates a verified account without a password, and starts its session', async () => {
    const account = newAccount({ email: ' Robin@BÜCHER.example' });
    const reply = await logInAs(platform, issuer, account);
    expect(reply).toMatchObject({
      status: 200,
      body: {
        needs_onboarding: true,
        return_to: null,
        user: {
          email: 'robin@xn--bcher-kva.example',
          auth_provider: 'oidc',
          is_verified: true,
          full_name: 'Robin Example',
        },
      },
    });
    expect((await me(platform, String(reply.body.access_token))).status).toBe(200);
    const [user] = await platform.database.sql<{ password_hash: string | null }[]>`
      select password_hash from users where email = 'robin@xn--bcher-kva.example'`;
    expect(user).toEqual({ password_hash: null });
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'REGISTER', status: 'success' },
      { action: 'LOGIN', note: 'by oidc' },
    ]);
  });

  it('asks with PKCE, state and nonce, and the exact redirect address', async () => {
    const { url } = await begin(platform);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'plumbline',
      redirect_uri: redirectUriOf('oidc'),
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
  });

  it('leads to the same account the next time, also when the address has changed at the provider', async () => {
    const account = newAccount();
    const first = await logInAs(platform, issuer, account);
    const again = await logInAs(platform, issuer, { ...account, email: 'changed@example.com', name: 'Somebody Else' });
    expect(again.body.user).toMatchObject({ id: first.body.user.id, email: account.email, full_name: 'Robin Example' });
    expect(await accountsOf('changed@example.com')).toBe(0);
    const unverified = await logInAs(platform, issuer, { sub: account.sub });
    expect(unverified.body.user).toMatchObject({ id: first.body.user.id });
  });

  it('creates one account when two tabs log in at once', async () => {
    const account = newAccount();
    issuer.account = account;
    const first = await begin(platform);
    const second = await begin(platform, { cookie: first.cookie });
    expect(second.cookie).toBe(first.cookie);
    const replies = await simultaneously(2, async (index) => {
      const { url, cookie } = index === 0 ? first : second;
      return complete(platform, (await issuer.authorize(url.href)).search.slice(1), { cookie });
    });
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await accountsOf(account.email)).toBe(1);
  });

  it.each([
    ['an unverified address', { email_verified: false }],
    ['an address without a word about it', { email_verified: undefined }],
    ['an address that accounts cannot have', { email: 'robin@[192.0.2.1]' }],
    ['no address', { email: undefined }],
  ])('is refused with %s', async (_what, differences) => {
    const account = newAccount();
    const reply = await logInAs(platform, issuer, { ...account, ...(differences as object) });
    expect(problem(reply)).toBe('403 email-not-verified');
    expect(await accountsOf(account.email)).toBe(0);
  });

  it('shortens names, and removes control characters', async () => {
    const reply = await logInAs(platform, issuer, newAccount({ name: `  Robin\u0000\u202e\n ${'x'.repeat(200)}` }));
    expect(reply.body.user.full_name).toBe(`Robin ${'x'.repeat(94)}`);
  });

  it('returns the page to go to', async () => {
    const reply = await logInAs(platform, issuer, newAccount(), { returnTo: '/work-units?team=a&x=%2F#top' });
    expect(reply.body.return_to).toBe('/work-units?team=a&x=%2F#top');
  });

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/a\\b', '/a\nb', 'javascript:alert(1)', ''])(
    'refuses the page %j',
    async (page) => {
      const body = { return_to: page };
      const reply = await platform.json('POST', '/api/v1/auth/providers/oidc/start', { body });
      expect(problem(reply)).toBe('422 validation-failed');
    },
  );

  it('leads to another site in no encoding', async () => {
    const separators = [
      '/',
      '\\',
      '%2f',
      '%5C',
      '%252F',
      '／',
      '∕',
      '\u2028',
      '\u0000',
      '\t',
      '\r\n',
      '.',
      '..',
      ';',
      '?',
      '#',
      '',
    ];
    const pages = ['', ' ', '/', '/.'].flatMap((start) =>
      separators.flatMap((one) => separators.map((other) => `${start}${one}${other}evil.example`)),
    );
    const others = ['HTTPS:evil.example', '/https://evil.example', 'data:text/html,x', '/%6Aavascript:alert(1)'];
    let accepted = 0;
    for (const page of [...pages, ...others]) {
      const body = { return_to: page };
      const { status } = await platform.json('POST', '/api/v1/auth/providers/oidc/start', { body });
      if (status === 200) {
        accepted += 1;
        // What a browser makes of it, in an address and in the history of the console.
        for (const text of [page, `/console${page}`]) expect(new URL(text, appBaseUrl).origin, page).toBe(appBaseUrl);
      } else {
        expect(status, page).toBe(422);
      }
    }
    expect(accepted).toBeGreaterThan(0);
  });
});

describe('an address that an account has', () => {
  it('is not linked, and gets no session', async () => {
    const user = await platform.signUp();
    const account = newAccount({ email: user.email });
    const reply = await logInAs(platform, issuer, account);
    expect(problem(reply)).toBe('409 account-exists');
    const rows = await platform.database.sql`select 1 from user_identities where user_id = ${user.userId}`;
    expect(rows).toHaveLength(0);
  });

  it('is not linked while the account is unverified', async () => {
    const account = newAccount();
    const body = { email: account.email, password: testPassword };
    await platform.json('POST', '/api/v1/auth/register', { body });
    expect(problem(await logInAs(platform, issuer, account))).toBe('409 account-exists');
  });
});

describe('an account without a password', () => {
  it('cannot log in by password, like an address without an account', async () => {
    const account = newAccount();
    await logInAs(platform, issuer, account);
    const body = { email: account.email, password: testPassword };
    expect(problem(await platform.json('POST', '/api/v1/auth/login', { body }))).toBe('401 invalid-credentials');
  });

  it('gets a password by the mail for a forgotten one, and keeps its identity', async () => {
    const account = newAccount();
    const { body: first } = await logInAs(platform, issuer, account);
    await platform.json('POST', '/api/v1/auth/forgot-password', { body: { email: account.email } });
    const { token } = await platform.lastMail(account.email);
    const reset = { token, new_password: testPassword };
    expect((await platform.json('POST', '/api/v1/auth/reset-password', { body: reset })).status).toBe(200);
    const body = { email: account.email, password: testPassword };
    const byPassword = await platform.json('POST', '/api/v1/auth/login', { body });
    expect(byPassword.body.user).toMatchObject({ id: first.user.id, auth_provider: 'oidc' });
    expect((await logInAs(platform, issuer, account)).body.user.id).toBe(first.user.id);
  });
});

describe('a disabled account', () => {
  it('is refused like a wrong password', async () => {
    const account = newAccount();
    const { body } = await logInAs(platform, issuer, account);
    await platform.database.sql`update users set is_active = false where id = ${String(body.user.id)}`;
    const reply = await logInAs(platform, issuer, account);
    expect(reply).toMatchObject({ status: 401, body: { message: 'Invalid credentials' } });
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'LOGIN_FAILED', status: 'failure' }]);
  });
});

describe('a log-in from a new device', () => {
  it('causes a mail', async () => {
    const account = newAccount();
    await logInAs(platform, issuer, account);
    issuer.account = account;
    const { url, cookie } = await begin(platform);
    const back = await issuer.authorize(url.href);
    await platform.json('POST', '/api/v1/auth/providers/oidc/login', {
      body: { callback: back.search.slice(1) },
      headers: { Cookie: cookie, 'User-Agent': 'Firefox on Windows' },
    });
    expect((await platform.lastMail(account.email)).subject).toBe('Log-in from a new device');
  });
});

describe('an unknown provider', () => {
  it.each(['start', 'login', 'link'])('is 404 for %s', async (verb) => {
    const { accessToken: token } = await platform.signUp();
    const body = verb === 'login' ? { callback: 'code=a&state=b' } : {};
    const reply = await platform.json('POST', `/api/v1/auth/providers/github/${verb}`, { body, token });
    expect(problem(reply)).toBe('404 identity-provider-not-found');
  });
});
