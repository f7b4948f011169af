import { expect, it, onTestFinished } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { problem } from '../providers/requests.js';
import { connect, startSsoStage } from './requests.js';

const startedWith = async (environment: Record<string, string>): Promise<TestPlatform> => {
  const platform = await startTestPlatform({ environment });
  onTestFinished(() => platform.stop());
  return platform;
};
const path = `/api/v1/auth/sso/${crypto.randomUUID()}`;

it('log-ins by SSO count with those by password per IP', async () => {
  const platform = await startedWith({ AUTH_LOGIN_ATTEMPT_LIMIT: '1/hour' });
  const find = (): Promise<unknown> => platform.json('GET', '/api/v1/auth/sso?domain=a.example');
  expect(await find()).toMatchObject({ status: 200 });
  expect(await find()).toMatchObject({ status: 429 });
  expect(problem(await platform.json('POST', `${path}/start`, { body: {} }))).toBe('429 rate-limited');
  const callback = { body: { callback: 'code=a&state=b' } };
  expect(problem(await platform.json('POST', `${path}/login`, callback))).toBe('429 rate-limited');
});

it('links to SSO count per user', async () => {
  const platform = await startedWith({ AUTH_CHANGE_PASSWORD_LIMIT: '1/hour' });
  const { accessToken: token } = await platform.signUp();
  expect((await platform.json('POST', `${path}/link`, { body: {}, token })).status).toBe(404);
  expect(problem(await platform.json('POST', `${path}/link`, { body: {}, token }))).toBe('429 rate-limited');
});

it('requests that are malformed or invalid still report the limits', async () => {
  const platform = await startedWith({ AUTH_LOGIN_ATTEMPT_LIMIT: '1000/hour' });
  const send = async (step: string, body: string): Promise<unknown> => {
    const headers = { 'Content-Type': 'application/json' };
    const reply = await platform.fetch(`${platform.url}${path}/${step}`, { method: 'POST', headers, body });
    await reply.arrayBuffer();
    return [reply.status, reply.headers.get('RateLimit-Policy')];
  };
  const policy = expect.stringContaining('q=1000;w=3600') as string;
  for (const step of ['start', 'login']) {
    expect(await send(step, '{')).toEqual([400, policy]);
    expect(await send(step, '{"no_such_property":1}')).toEqual([422, policy]);
  }
  const without = await platform.json('GET', '/api/v1/auth/sso');
  expect([without.status, without.headers.get('RateLimit-Policy')]).toEqual([422, policy]);
});

const unreadable = Uint8Array.of(0xff);
const reportLogout = async (
  { fetch, url }: TestPlatform,
  body: string | Uint8Array<ArrayBuffer>,
  of = path,
): Promise<number> => {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const reply = await fetch(`${url}${of}/logout`, { method: 'POST', headers, body });
  await reply.arrayBuffer();
  return reply.status;
};

it.each([
  ['of no connection', 'logout_token=a', 404],
  ['that are missing', '', 422],
  ['that cannot be read', unreadable, 400],
])('logout tokens %s count per IP', async (_what, body, status) => {
  const platform = await startedWith({ AUTH_LOGIN_ATTEMPT_LIMIT: '1/hour' });
  expect([await reportLogout(platform, body), await reportLogout(platform, body)]).toEqual([status, 429]);
});

it('logout tokens count per IP when the provider does not give its keys, which costs requests to it', async () => {
  const stage = await startSsoStage(1, { AUTH_LOGIN_ATTEMPT_LIMIT: '2/hour' });
  onTestFinished(() => stage.stop());
  const { platform, owner } = stage;
  await connect(stage, owner);
  await stage.issuer.stop();
  const send = (): Promise<number> => reportLogout(platform, 'logout_token=a', `/api/v1/auth/sso/${owner.orgId}`);
  expect([await send(), await send()]).toEqual([502, 429]); // the owner has logged in once
});
