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
