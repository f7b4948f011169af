import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analyticsDocument, createAnalyticsClient } from '../../../sdk/src/analytics.js';
import { memoryTokenStore } from '../../../sdk/src/index.js';
import { recordingGraphqlFetch } from '../../support/graphql-recorder.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { post, responseType, type GraphqlReply } from './served.js';

const limit = 3;
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { ANALYTICS_QUERY_LIMIT: `${limit}/hour` } });
});
afterAll(() => platform.stop());

const query = 'query ($orgId: String!) { catalog(orgId: $orgId) { limits { maxDays } } }';

function ask(user: TestUser, accept = 'application/json'): Promise<GraphqlReply> {
  return post(platform, user, { headers: { Accept: accept }, body: { query, variables: { orgId: user.orgId } } });
}

describe('Queries are limited per user:', () => {
  test('every reply reports the remaining requests', async () => {
    const user = await platform.signUp();
    for (let count = 1; count <= limit; count += 1) {
      const { status, headers } = await ask(user);
      expect(status).toBe(200);
      expect(headers.get('RateLimit-Policy')).toBe(`"queries";q=${limit};w=3600`);
      expect(headers.get('RateLimit')).toMatch(new RegExp(`^"queries";r=${limit - count};t=\\d+$`));
    }
  });

  test.each(['application/json', responseType])(
    'beyond the limit the error is RATE_LIMITED (429), as %s',
    async (accept) => {
      const user = await platform.signUp();
      for (let count = 0; count < limit; count += 1) await ask(user);
      const { status, headers, errors, data } = await ask(user, accept);
      expect([status, data]).toEqual([429, undefined]);
      expect(headers.get('Content-Type')).toBe(`${accept}; charset=utf-8`);
      const seconds = Number(headers.get('Retry-After'));
      expect(seconds).toBeGreaterThan(0);
      expect(errors).toEqual([
        {
          message: `Too many requests. Try again in ${seconds} seconds.`,
          extensions: {
            code: 'RATE_LIMITED',
            retry_after_seconds: seconds,
            request_id: headers.get('X-Request-Id'),
          },
        },
      ]);
      expect(headers.get('RateLimit')).toMatch(/^"queries";r=0;t=\d+$/);
    },
  );

  test('another user is not affected, and requests that fail authentication are not counted', async () => {
    const user = await platform.signUp();
    for (let count = 0; count <= limit; count += 1) {
      const refused = await post(platform, user, { token: null, body: { query } });
      expect([refused.status, refused.headers.has('RateLimit')]).toEqual([401, false]);
    }
    expect((await ask(user)).status).toBe(200);
  });

  test('the limit comes before the body is parsed, as in the other APIs', async () => {
    const user = await platform.signUp();
    for (let count = 0; count < limit; count += 1) expect((await post(platform, user, { body: '{' })).status).toBe(400);
    expect((await post(platform, user, { body: '{' })).status).toBe(429);
  });
});

test('The SDK waits as long as Retry-After says, up to its limit, and then gives the error', async () => {
  const user = await platform.signUp();
  const slept: number[] = [];
  const client = createAnalyticsClient({
    baseUrl: platform.url,
    tokens: memoryTokenStore({ access_token: user.accessToken }),
    fetch: recordingGraphqlFetch(),
    maxRetryDelayMs: 4_000_000,
    timing: {
      now: () => Date.now(),
      random: () => 0,
      sleep: (ms) => {
        slept.push(ms);
        return Promise.resolve();
      },
    },
  });
  for (let count = 0; count < limit; count += 1) await ask(user);
  const document = analyticsDocument<unknown, { orgId: string }>(query);
  const reply = await client.query(document, { orgId: user.orgId });
  expect(reply).toMatchObject({ ok: false, status: 429, error: { code: 'RATE_LIMITED' } });
  if (reply.ok || reply.error.code !== 'RATE_LIMITED') throw new Error('the type does not narrow');
  expect(slept).toHaveLength(2);
  for (const ms of slept) expect(Math.abs(ms / 1000 - reply.error.retry_after_seconds)).toBeLessThanOrEqual(5);
  const impatient = createAnalyticsClient({
    baseUrl: platform.url,
    tokens: memoryTokenStore({ access_token: user.accessToken }),
    maxRetryDelayMs: 1,
  });
  expect(await impatient.persisted('team-values', { orgId: user.orgId })).toMatchObject({ ok: false, status: 429 });
});
