import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';

let platform: TestPlatform;
let user: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
  user = await platform.signUp();
});
afterAll(() => platform.stop());

/** The lines of the access log that `send` causes. */
async function logged(send: () => Promise<Response>): Promise<Record<string, unknown>[]> {
  const before = platform.logLines.length;
  await (await send()).arrayBuffer();
  await expect.poll(() => requestsSince(before).length).toBeGreaterThan(0);
  return requestsSince(before);
}

function requestsSince(line: number): Record<string, unknown>[] {
  const lines = platform.logLines.slice(line).map((each) => JSON.parse(each) as Record<string, unknown>);
  return lines.filter(({ msg }) => msg === 'request');
}

function send(method: string, path: string, token?: string): () => Promise<Response> {
  const headers = {
    'X-Forwarded-For': '203.0.113.7',
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  return () => fetch(`${platform.url}${path}`, { method, headers, redirect: 'manual' });
}

describe('The access log has the template of the path, and the address of the caller', () => {
  test.each([
    ['GET', '/', 302, '/'],
    ['GET', '/docs', 200, '/docs'],
    ['GET', '/openapi.json', 200, '/openapi.json'],
    ['GET', '/problems/unauthenticated', 200, '/problems/{slug}'],
    ['GET', '/problems/secret-text', 404, '/problems/{slug}'],
    ['GET', '/graphql', 200, '/graphql'],
    ['PUT', '/graphql', 405, '/graphql'],
    ['POST', '/graphql', 401, '/graphql'],
    ['GET', '/graphql/schema', 200, '/graphql/schema'],
    ['GET', '/nothing/secret-text?token=secret-text', 404, '(unmatched)'],
    ['POST', '/docs', 405, '/docs'],
    ['PATCH', '/api/v1/organizations/secret-text/invites', 405, '/api/v1/organizations/{org_id}/invites'],
    ['GET', '/api/v1/organizations/secret-text/invites', 401, '/api/v1/organizations/{org_id}/invites'],
  ])('of %s %s (%i)', async (method, path, status, template) => {
    const lines = await logged(send(method, path));
    expect(lines).toEqual([
      expect.objectContaining({ method, status, path: template, client_ip: '203.0.113.7', user_id: null }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret-text');
  });
});

describe('The access log names the user', () => {
  test('of an operation', async () => {
    const [line] = await logged(send('GET', '/api/v1/auth/me', user.accessToken));
    expect(line).toMatchObject({ operation: 'getMe', status: 200, user_id: user.userId });
  });

  test.each([
    ['GET', '/nothing', 404, '(unmatched)'],
    ['GET', '/api/v1/auth/login', 405, '/api/v1/auth/login'],
    ['POST', '/docs', 405, '/docs'],
  ])('of %s %s (%i), which no route answers', async (method, path, status, template) => {
    const [line] = await logged(send(method, path, user.accessToken));
    expect(line).toMatchObject({ operation: null, status, path: template, user_id: user.userId });
  });

  test('of no operation with an invalid token', async () => {
    const [line] = await logged(send('GET', '/api/v1/auth/me', `${user.accessToken}x`));
    expect(line).toMatchObject({ status: 401, user_id: null });
  });

  test('of a query', async () => {
    const [line] = await logged(() =>
      fetch(`${platform.url}/graphql?org_id=${user.orgId}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${user.accessToken}`, 'Content-Type': 'application/json' },
        body: '{"query":"{__typename}"}',
      }),
    );
    expect(line).toMatchObject({ operation: 'graphql', user_id: user.userId });
  });
});
