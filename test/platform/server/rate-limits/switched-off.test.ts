import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { AUTH_LOGIN_LIMIT: '100/day', AUTH_LOGIN_IP_LIMIT: 'off' } });
});
afterAll(() => platform.stop());

it('A limit that is off refuses nothing, counts nothing and is not reported', async () => {
  for (let count = 0; count < 12; count += 1) {
    const reply = await platform.json('GET', '/api/v1/auth/verify?token=unknown');
    expect(reply.status).toBe(400);
    expect(reply.headers.has('RateLimit')).toBe(false);
  }
  expect(await platform.database.sql`select 1 from rate_limits`).toEqual([]);
});

it('Of two limits, the enabled one is reported', async () => {
  const { headers } = await platform.json('POST', '/api/v1/auth/login', { body: {} });
  expect(headers.get('RateLimit-Policy')).toBe('"login";q=100;w=86400');
});
