import { expect, it, onTestFinished } from 'vitest';
import { startTestPlatform } from '../../../support/platform.js';
import { problem } from './requests.js';

it('log-ins with providers count with those by password per IP, and links per user', async () => {
  const platform = await startTestPlatform({
    environment: {
      ...{ AUTH_GITHUB_CLIENT_ID: 'id', AUTH_GITHUB_CLIENT_SECRET: 'secret' },
      ...{ AUTH_LOGIN_ATTEMPT_LIMIT: '2/hour', AUTH_CHANGE_PASSWORD_LIMIT: '1/hour' },
    },
  });
  onTestFinished(() => platform.stop());
  const { accessToken: token } = await platform.signUp(); // one log-in
  const path = '/api/v1/auth/providers/github';
  const start = { body: {} };
  expect((await platform.json('POST', `${path}/start`, start)).status).toBe(200);
  expect(problem(await platform.json('POST', `${path}/start`, start))).toBe('429 rate-limited');
  const callback = { body: { callback: 'code=a&state=b' } };
  expect(problem(await platform.json('POST', `${path}/login`, callback))).toBe('429 rate-limited');
  expect((await platform.json('POST', `${path}/link`, { ...start, token })).status).toBe(200);
  expect(problem(await platform.json('POST', `${path}/link`, { ...start, token }))).toBe('429 rate-limited');
});

it('requests that are malformed or invalid still report the limits', async () => {
  const platform = await startTestPlatform({ environment: { AUTH_LOGIN_ATTEMPT_LIMIT: '1000/hour' } });
  onTestFinished(() => platform.stop());
  const send = async (step: string, body: string): Promise<unknown> => {
    const headers = { 'Content-Type': 'application/json' };
    const url = `${platform.url}/api/v1/auth/providers/github/${step}`;
    const reply = await platform.fetch(url, { method: 'POST', headers, body });
    await reply.arrayBuffer();
    return [reply.status, reply.headers.get('RateLimit-Policy')];
  };
  const policy = expect.stringContaining('q=1000;w=3600');
  for (const step of ['start', 'login']) {
    expect(await send(step, '{')).toEqual([400, policy]);
    expect(await send(step, '{"no_such_property":1}')).toEqual([422, policy]);
  }
});
