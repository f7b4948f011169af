import { afterEach, describe, expect, test } from 'vitest';
import { post, responseType } from '../../analytics/graphql/served.js';
import { freePort } from '../../support/free-port.js';
import { startTestPlatform, type TestPlatform } from '../../support/platform.js';
import { startSilentPeer } from '../../support/silent-peer.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(analyticsUri: string): Promise<TestPlatform> {
  const platform = await startTestPlatform({ environment: { ANALYTICS_URI: analyticsUri } });
  cleanups.push(() => platform.stop());
  return platform;
}

async function silentPort(): Promise<number> {
  const peer = await startSilentPeer();
  cleanups.push(peer.stop);
  return peer.port;
}

describe.each([
  ['a dead address', freePort],
  ['a silent address', silentPort],
])('An analytics store at %s', (_name, portOf) => {
  test('is reported by readiness, a metric and the log, and queries are answered with SERVICE_UNAVAILABLE', async () => {
    const platform = await start(`clickhouse://127.0.0.1:${await portOf()}/analytics`);
    const user = await platform.signUp();

    const ready = await platform.json('GET', '/health/ready');
    expect([ready.status, ready.body.message]).toEqual([503, 'The analytics store is out of reach.']);
    const metrics = String((await platform.json('GET', '/metrics')).body);
    expect(metrics).toContain('\nplumbline_analytics_up 0\n');
    expect(metrics).toContain('\nplumbline_database_up 1\n');
    const messages = platform.logLines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages.filter((message) => message === 'The analytics store is out of reach.')).toHaveLength(1);

    const query = 'query ($orgId: String!) { catalog(orgId: $orgId, dimension: TEAM) { values { value count } } }';
    const reply = await post(platform, user, {
      headers: { Accept: responseType },
      body: { query, variables: { orgId: user.orgId } },
    });
    expect(reply.errors[0].extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    // The rest of the server works.
    expect((await platform.json('GET', '/api/v1/auth/me', { token: user.accessToken })).status).toBe(200);
  });
});

test('A server whose analytics are in its database has no metric of another store', async () => {
  const platform = await startTestPlatform();
  cleanups.push(() => platform.stop());
  expect((await platform.json('GET', '/health/ready')).status).toBe(200);
  expect(String((await platform.json('GET', '/metrics')).body)).not.toMatch(/^plumbline_analytics_up \d$/m);
});
