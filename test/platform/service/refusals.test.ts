import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { abuseEveryOperation } from '../../support/abuse.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { problemOf } from '../../support/problem-of.js';
import { sendRaw } from '../../support/recorder-raw.js';
import { createServiceToken } from '../../support/service-token.js';
import { named, onlyServiceTokens, platformExamples, sendExample } from './send-example.js';

let platform: TestPlatform;
let owner: TestUser;
let serviceToken: string;
beforeAll(async () => {
  // A proxy on loopback is believed, so that a test can come from elsewhere.
  platform = await startTestPlatform({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
  owner = await platform.signUp();
  serviceToken = (await createServiceToken(platform, owner, ['scim:write'])).token;
});
afterAll(() => platform.stop());

describe('Every operation refuses wrong requests, as documented', () => {
  test('media types, sizes, missing credentials, broken JSON and invalid values', async () => {
    const refused = await abuseEveryOperation({
      api: 'platform',
      baseUrl: platform.url,
      fetch: platform.fetch,
      authorization: (operationId) => `Bearer ${onlyServiceTokens.has(operationId) ? serviceToken : owner.accessToken}`,
      exempt: [
        'getMetrics: no credential', // loopback callers need none; those from elsewhere: below
        // A teams file is not JSON; its errors are a problem for teams files.
        'importTeams: malformed JSON',
        'importTeams: unknown property',
        // A logout token comes in a form, whose other values are ignored.
        'acceptSsoLogout: malformed JSON',
        'acceptSsoLogout: unknown property',
        'acceptHostEvent: unknown property', // a code host adds properties at any time
        'acceptGitlabEvent: unknown property',
        'acceptCdevent: unknown property', // so do the tools that send CDEvents
        'acceptCloudevent: unknown property',
        'logout: unknown property', // every JSON body is accepted
        ...['User', 'Group'].flatMap((name) =>
          ['create', 'replace', 'update'].map((verb) => `${verb}Scim${name}: unknown property`),
        ), // ignored, as SCIM demands
      ],
    });
    const statuses = new Set(refused.map(({ status }) => status));
    expect(statuses).toEqual(new Set([400, 401, 406, 413, 415, 422]));
  });

  const closed = platformExamples.filter((each) => each.needsCredential && each.operationId !== 'getMetrics');
  const forgedParts = [
    { alg: 'HS256', kid: '1' },
    { sub: 'someone', type: 'access' },
  ];
  const forged = forgedParts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const badBearers: readonly (readonly [string, (user: TestUser) => string])[] = [
    ['nonsense', () => 'nonsense'],
    ['a refresh token', (user) => user.refreshToken],
    ['a token with another signature', (user) => `${user.accessToken.slice(0, -8)}AAAAAAAA`],
    [
      'a token signed with a shared secret',
      () => `${forged}.${createHmac('sha256', randomBytes(32)).update(forged).digest('base64url')}`,
    ],
  ];

  test.each(named(closed))('$name answers 401 to invalid bearer tokens', async ({ example }) => {
    for (const [what, tokenOf] of badBearers) {
      const reply = await sendExample(platform, example, { token: tokenOf(owner) });
      expect([what, reply.status, problemOf(reply).type]).toEqual([what, 401, '/problems/unauthenticated']);
      expect(reply.headers.get('WWW-Authenticate')).toMatch(/^Bearer/);
    }
  });

  test.each(['X-Forwarded-For', 'Forwarded', 'Via', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP'])(
    'A proxy on this machine that sends %s needs the token for the metrics',
    async (name) => {
      const headers = { [name]: name === 'Forwarded' ? 'for=127.0.0.1' : '127.0.0.1' };
      expect((await platform.json('GET', '/metrics', { headers })).status).toBe(401);
      expect((await platform.json('GET', '/metrics', { headers, token: 'guess' })).status).toBe(401);
    },
  );

  test('A direct caller on this machine needs no token for the metrics', async () => {
    expect((await platform.json('GET', '/metrics')).status).toBe(200);
  });

  const metricsAs = async (host: string): Promise<number> => {
    const { port } = new URL(platform.url);
    const head = `GET /metrics HTTP/1.1\r\nHost: ${host}:${port}\r\nAccept: text/plain\r\nConnection: close\r\n\r\n`;
    return (await sendRaw(platform.url, head)).status;
  };

  test.each([
    'rebound.example.com',
    'localhost.example.com',
    '127.0.0.1.example.com',
    '127.0.0.1@evil.example',
    '0.0.0.0',
  ])('A page that calls this machine by the name %s needs the token for the metrics (DNS rebinding)', async (host) => {
    expect(await metricsAs(host)).toBe(401);
  });

  test.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '[::1]'])(
    'A program on this machine reads the metrics at %s without a token',
    async (host) => {
      expect(await metricsAs(host)).toBe(200);
    },
  );
});

describe('Requests that match no operation', () => {
  const somewhere = (path: string): string => path.replaceAll(/\{\w+\}/g, 'x');
  const paths = [...new Set(platformExamples.map(({ path }) => path))];

  test.each(paths)('%s answers 405 to other methods, and lists its methods', async (path) => {
    const has = platformExamples.filter((each) => each.path === path).map(({ method }) => method);
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((each) => !has.includes(each));
    for (const method of others) {
      const reply = await platform.json(method, somewhere(path), { token: owner.accessToken });
      expect([method, reply.status]).toEqual([method, 405]);
    }
  });

  test.each([
    '/nothing',
    '/api/v1/auth',
    '/api/v1/auth/login/',
    '/API/V1/AUTH/LOGIN',
    '//api/v1/auth/me',
    '/api/v1/auth/me/..',
    '/api/v1/auth/%6De/x',
    '/health/live/%00',
    '/problems/no-such-problem',
    '/%',
    '/%zz',
    '/api/v1/organizations/%/members',
  ])('%s answers 404', async (path) => {
    const { hostname, port } = new URL(platform.url);
    const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`;
    const reply = await sendRaw(platform.url, request);
    expect(reply.status).toBe(404);
    expect(reply.headers.get('Content-Type')).toBe('application/problem+json');
    expect(JSON.parse(reply.body.toString('utf8'))).toMatchObject({ type: '/problems/route-not-found' });
  });

  test('HEAD is answered as GET, without the body', async () => {
    for (const path of ['/health/live', '/.well-known/jwks.json', '/api/v1/auth/me', '/nothing']) {
      const get = await platform.fetch(`${platform.url}${path}`);
      const head = await platform.fetch(`${platform.url}${path}`, { method: 'HEAD' });
      expect([path, head.status]).toEqual([path, get.status]);
      expect(await head.text()).toBe('');
    }
  });
});
