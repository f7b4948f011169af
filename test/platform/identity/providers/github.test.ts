import { describe, expect, it, onTestFinished } from 'vitest';
import {
  githubClient,
  startGithubLogin,
  type GithubEmail,
  type GithubLogin,
} from '../../../support/hosts/github-login.js';
import { startTestPlatform, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { appBaseUrl, begin, complete, redirectUriOf } from './requests.js';

const provider = 'github';

async function start(): Promise<{ github: GithubLogin; platform: TestPlatform }> {
  const github = await startGithubLogin(redirectUriOf(provider));
  const platform = await startTestPlatform({
    environment: {
      APP_BASE_URL: appBaseUrl,
      AUTH_GITHUB_URL: github.host.url,
      AUTH_GITHUB_CLIENT_ID: githubClient.id,
      AUTH_GITHUB_CLIENT_SECRET: githubClient.secret,
    },
  });
  onTestFinished(() => platform.stop());
  return { github, platform };
}

async function logIn(platform: TestPlatform, github: GithubLogin): Promise<JsonReply> {
  const { url, cookie } = await begin(platform, { provider });
  return complete(platform, github.authorize(url.href).toString(), { provider, cookie });
}

const email = (address: string, differences: Partial<GithubEmail> = {}): GithubEmail => ({
  ...{ email: address, primary: false, verified: true, visibility: null },
  ...differences,
});

describe('a log-in with GitHub', () => {
  it('uses the primary address that its API says is verified, and the numeric id', async () => {
    const { github, platform } = await start();
    github.user = { id: 1, login: 'robin', name: 'Robin' };
    const others = Array.from({ length: 60 }, (_, index) => email(`other-${index}@example.com`));
    github.emails = [...others, email('Robin@Example.com', { primary: true, visibility: 'private' })];
    const reply = await logIn(platform, github);
    expect(reply.body.user).toMatchObject({ email: 'robin@example.com', auth_provider: 'github', full_name: 'Robin' });
    // Names of accounts can be taken over by others, ids cannot.
    github.user = { id: 2, login: 'robin', name: 'Robin' };
    expect((await logIn(platform, github)).status).toBe(409);
    github.user = { id: 1, login: 'renamed', name: null };
    expect((await logIn(platform, github)).body.user.id).toBe(reply.body.user.id);
  });

  it('is refused if the primary address is not verified, although another one is', async () => {
    const { github, platform } = await start();
    github.emails = [email('robin@example.com'), email('victim@example.com', { primary: true, verified: false })];
    expect(await logIn(platform, github)).toMatchObject({
      status: 403,
      body: { type: '/problems/email-not-verified' },
    });
  });

  it('is refused with a code of another attempt, and with one that was used', async () => {
    const { github, platform } = await start();
    github.emails = [email('robin@example.com', { primary: true })];
    const [mine, theirs] = [await begin(platform, { provider }), await begin(platform, { provider })];
    const callback = github.authorize(mine.url.href);
    callback.set('code', github.authorize(theirs.url.href).get('code') ?? '');
    const injected = await complete(platform, callback.toString(), { provider, cookie: mine.cookie });
    expect(injected).toMatchObject({ status: 400, body: { type: '/problems/provider-login-refused' } });
    expect(await platform.database.sql`select 1 from users`).toHaveLength(0);
  });

  it.each([
    ['/login/oauth/access_token', { status: 500, body: 'oops' }],
    ['/login/oauth/access_token', { status: 200, body: { access_token: 7 } }],
    ['/api/v3/user', { status: 200, body: { login: 'robin' } }],
    ['/api/v3/user', { status: 200, body: '<html>' }],
    ['/api/v3/user', 'cut in the middle'],
    ['/api/v3/user/emails', { status: 403, body: { message: 'API rate limit exceeded' } }],
  ] as const)('is 502 if %s answers %j', async (path, fault) => {
    const { github, platform } = await start();
    github.emails = [email('robin@example.com', { primary: true })];
    github.host.fault = (request) => (request.path === path ? fault : undefined);
    expect((await logIn(platform, github)).status).toBe(502);
    github.host.fault = () => undefined;
    expect((await logIn(platform, github)).status).toBe(200);
  });

  it('is 403 if the API returns something else than a list of addresses', async () => {
    const { github, platform } = await start();
    github.host.fault = (request) =>
      request.path === '/api/v3/user/emails' ? { status: 200, body: { message: 'none' } } : undefined;
    expect((await logIn(platform, github)).status).toBe(403);
  });
});
