import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { APP_INSTALLATION_LIMIT: '1/hour' } });
});
afterAll(() => platform.stop());

it.each([
  ['beginning', '/api/v1/admin/app-installations', { return_to: '/console/onboarding' }],
  ['connecting', '/api/v1/admin/app-installations/connect', { state: 'x' }],
])('%s an installation is limited per user, and refused without an app', async (_step, path, body) => {
  const [owner, other] = [await platform.signUp(), await platform.signUp()];
  const send = async ({ accessToken: token }: typeof owner): Promise<unknown> => {
    const reply = await platform.json('POST', path, { token, body });
    return [reply.status, reply.body.type];
  };
  const refused = [409, '/problems/app-not-configured'];
  expect([await send(owner), await send(owner), await send(other)]).toEqual([
    refused,
    [429, '/problems/rate-limited'],
    refused,
  ]);
});
