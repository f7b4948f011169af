import { afterEach, describe, expect, test } from 'vitest';
import { insufficientRole, unauthenticated } from '../../generated/problems.js';
import { createApplication } from '../../src/contract/application.js';
import type { AnySecurityHandler } from '../../src/contract/authentication.js';
import type { PageRoute } from '../../src/contract/page-routes.js';
import type { AnyHandler } from '../../src/contract/pipeline.js';
import { listen } from '../../src/contract/server.js';
import type { Served } from '../../src/contract/served.js';
import { sendRaw } from '../support/recorder-raw.js';
import { record } from '../../src/contract-tools/documents.js';
import { addTool, countingLimiter, startWorkshop, type Workshop, type WorkshopOptions } from './workshop.js';

let workshop: Workshop;
const start = async (options?: WorkshopOptions): Promise<void> => {
  workshop = await startWorkshop(options);
};
afterEach(() => workshop.close());

const withToken = (authorization: string, method = 'DELETE'): Promise<Response> =>
  workshop.fetch('/tools/1', { method, headers: { Authorization: authorization } });

describe('authentication', () => {
  test('A request without a token is 401 with WWW-Authenticate', async () => {
    await start();
    const response = await workshop.fetch('/tools/1', { method: 'DELETE' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toMatchObject({ type: '/problems/unauthenticated' });
  });

  test.each(['Bearer kim', 'bearer kim', 'BEARER   kim '])('%j is accepted', async (authorization) => {
    await start();
    expect((await withToken(authorization)).status).toBe(204);
  });

  test.each(['Bearer stranger', 'Bearer', 'Bearer ', 'Basic kim', 'kim', 'Bearer kim robin', 'Bearerkim'])(
    '%j is 401',
    async (authorization) => {
      await start();
      expect((await withToken(authorization)).status).toBe(401);
    },
  );

  test('An operation with optional authentication uses a valid token, and ignores an invalid one', async () => {
    await start();
    const noteFor = async (init: RequestInit): Promise<unknown> =>
      record(await (await workshop.fetch('/tools/1', init)).json())['note'];
    expect(await noteFor({})).toBe(null);
    expect(await noteFor({ headers: { Authorization: 'Bearer kim' } })).toBe('kim');
    expect(await noteFor({ headers: { Authorization: 'Bearer stranger' } })).toBe(null);
  });

  test('A missing scope is 403 with the message of the security handler', async () => {
    await start();
    const response = await workshop.fetch('/tools', addTool({ name: 'Saw' }, { Authorization: 'Bearer kim' }));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ type: '/problems/insufficient-role', required_role: 'owner' });
  });
});

describe('admission', () => {
  test('A request that is not admitted is refused before all other steps, and has no effect', async () => {
    const refusal = insufficientRole({ message: 'Not from there.', required_role: 'owner' });
    await start({ admit: ({ headers }) => (headers['x-from'] === 'elsewhere' ? refusal : null) });
    const from = (place: string, body: string): Promise<Response> =>
      workshop.fetch('/tools', addTool(body, { 'X-From': place, Authorization: '' }));
    const refused = await from('elsewhere', '{');
    expect([refused.status, await refused.json()]).toMatchObject([403, { message: 'Not from there.' }]);
    expect((await from('here', '{')).status).toBe(401);
    expect(workshop.served.map(({ status }) => status)).toEqual([403, 401]);
  });
});

describe('the access log', () => {
  const early: readonly [string, number, RequestInit][] = [
    ['an unacceptable type of the reply', 406, addTool({ name: 'Saw' }, { Accept: 'text/plain' })],
    ['a body of another type', 415, addTool('name', { 'Content-Type': 'text/plain' })],
    ['a large body', 413, addTool({ name: 'x'.repeat(3000) })],
    ['too many requests', 429, addTool({ name: 'Saw' })],
  ];
  const served = async (init: RequestInit): Promise<readonly [number | undefined, unknown]> => {
    await start({ rateLimiter: countingLimiter({ ADD_IP_LIMIT: 0 }) });
    await workshop.fetch('/tools', init);
    return [workshop.served[0]?.status, workshop.served[0]?.principal];
  };
  const from = (init: RequestInit, authorization: string): RequestInit => {
    const headers = new Headers(init.headers);
    headers.set('Authorization', authorization);
    return { ...init, headers };
  };

  test.each(early)(
    'names the caller of a request that is refused before authentication: %s',
    async (_, status, init) => {
      expect(await served(init)).toEqual([status, { name: 'robin' }]);
    },
  );

  test.each(early)('names nobody for an invalid credential, whose reply is the same: %s', async (_, status, init) => {
    expect(await served(from(init, 'Bearer stranger'))).toEqual([status, null]);
  });

  test('names the caller of a request that is not admitted', async () => {
    await start({ admit: () => insufficientRole({ message: 'Not from there.', required_role: 'owner' }) });
    await workshop.fetch('/tools', addTool({ name: 'Saw' }));
    expect(workshop.served).toMatchObject([{ status: 403, principal: { name: 'robin' } }]);
  });

  test('names the caller of pages that take a credential, and of requests that match nothing', async () => {
    const checked: string[] = [];
    const lines = await servedPages(checked, [
      'GET /private HTTP/1.1\r\nHost: h\r\n',
      'GET /private HTTP/1.1\r\nHost: h\r\nAccept: image/png\r\n',
      'PUT /private HTTP/1.1\r\nHost: h\r\n',
      'GET /nowhere HTTP/1.1\r\nHost: h\r\n',
      'GET /private HTTP/1.1\r\nHost: h\r\nHost: i\r\n',
    ]);
    expect(lines).toEqual([200, 406, 405, 404, 400].map((status) => [status, 'robin']));
    expect(checked).toHaveLength(lines.length); // each credential once
  });

  test('names nobody where no credential is taken, and does not check the one that was sent', async () => {
    const checked: string[] = [];
    const lines = await servedPages(checked, [
      'GET /public HTTP/1.1\r\nHost: h\r\n',
      'GET /public HTTP/1.1\r\nHost: h\r\nAccept: image/png\r\n',
    ]);
    expect(lines).toEqual([
      [200, null],
      [406, null],
    ]);
    expect(checked).toEqual([]);
  });
});

/**
 * Sends requests with the token of `robin` to a server of two pages; the status and the caller in the log of each.
 *
 * @param checked receives each token that the server looks up
 */
async function servedPages(
  checked: string[],
  requests: readonly string[],
): Promise<readonly (readonly [number, string | null])[]> {
  const bearer: AnySecurityHandler = {
    authenticate: (credential) => {
      checked.push(String(credential));
      const verdict = { principal: credential };
      return Promise.resolve(credential === 'robin' ? verdict : { refusal: unauthenticated({ message: 'Nobody.' }) });
    },
    authorize: (principal) => ({ principal }),
  };
  const schemes = [{ name: 'bearer', kind: 'bearer', prefix: null, rateLimits: [], scope: null }] as const;
  const page = (name: string): PageRoute => ({
    name,
    method: 'GET',
    path: `/${name}`,
    produces: ['text/html'],
    handle: (ctx) => {
      ctx.body = name;
    },
  });
  const served: Served[] = [];
  const silent = (): void => undefined;
  const app = createApplication({
    routes: [],
    createRouters: () => [],
    handlers: {},
    problemForms: {},
    dependencies: null,
    security: { bearer },
    rateLimiter: null,
    replyValidation: 'always',
    log: { debug: silent, info: silent, warn: silent, error: silent },
    trustedProxies: [],
    problemOf: () => null,
    callerSchemes: schemes,
    served: (each) => served.push(each),
    pages: [page('public'), { ...page('private'), security: { anonymous: false, schemes } }],
  });
  const serve = app.callback();
  const server = await listen((request, response) => void serve(request, response), { host: '127.0.0.1', port: 0 });
  for (const each of requests) await sendRaw(server.url, `${each}Authorization: Bearer robin\r\n\r\n`);
  await server.stop(0);
  return served.map(({ status, principal }) => [status, typeof principal === 'string' ? principal : null]);
}

describe('rate limits', () => {
  const fields = (response: Response): (string | null)[] =>
    ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => response.headers.get(name));

  test('Every reply reports the remaining requests of each policy', async () => {
    await start({ rateLimiter: countingLimiter({ ADD_IP_LIMIT: 5, ADD_NAME_LIMIT: 2 }) });
    expect(fields(await workshop.fetch('/tools', addTool({ name: 'Saw' })))).toEqual([
      '"add-ip";q=5;w=3600, "add-name";q=2;w=3600',
      '"add-ip";r=4;t=60, "add-name";r=1;t=60',
      null,
    ]);
    expect(fields(await workshop.fetch('/tools', addTool('{')))[1]).toBe('"add-ip";r=3;t=60, "add-name";r=1;t=60');
  });

  test('A request over the limit is 429, with Retry-After and the same number in the body', async () => {
    await start({ rateLimiter: countingLimiter({ ADD_IP_LIMIT: 1 }) });
    await workshop.fetch('/tools', addTool({ name: 'Saw' }));
    const response = await workshop.fetch('/tools', addTool({ name: 'Saw' }));
    expect(response.status).toBe(429);
    expect(fields(response)).toEqual(['"add-ip";q=1;w=3600', '"add-ip";r=0;t=60', '60']);
    expect(await response.json()).toMatchObject({ type: '/problems/rate-limited', retry_after_seconds: 60 });
  });

  test('A disabled policy counts nothing and is not reported', async () => {
    await start({ rateLimiter: countingLimiter({}) });
    expect(fields(await workshop.fetch('/tools', addTool({ name: 'Saw' })))).toEqual([null, null, null]);
  });

  test('A property of the body is counted regardless of case and surrounding space', async () => {
    await start({ rateLimiter: countingLimiter({ ADD_NAME_LIMIT: 2 }) });
    const add = async (name: unknown): Promise<number> =>
      (await workshop.fetch('/tools', addTool(JSON.stringify({ name })))).status;
    expect([await add('Saw'), await add(' sAW '), await add('SAW'), await add('Axe')]).toEqual([201, 201, 429, 201]);
  });

  test('A malformed body, or one without the property, does not bypass the limit', async () => {
    await start({ rateLimiter: countingLimiter({ ADD_NAME_LIMIT: 3 }) });
    const statuses: number[] = [];
    for (const body of ['{', '{"name":7}', '[]', 'null', '{"name":{"a":1}}']) {
      statuses.push((await workshop.fetch('/tools', addTool(body))).status);
    }
    expect(statuses).toEqual([400, 422, 422, 429, 429]);
  });

  test('A policy with statuses counts the replies with them, and reports the others as not counted', async () => {
    await start({ rateLimiter: countingLimiter({ ADD_DONE_LIMIT: 2 }) });
    const add = async (body: object | string): Promise<[number, string | null]> => {
      const response = await workshop.fetch('/tools', addTool(body));
      return [response.status, response.headers.get('ratelimit')];
    };
    for (let count = 0; count < 4; count += 1) expect(await add({})).toEqual([422, '"add-done";r=2;t=60']);
    expect(await add({ name: 'Saw' })).toEqual([201, '"add-done";r=1;t=60']);
    expect(await add('{')).toEqual([400, '"add-done";r=0;t=60']);
    for (let count = 0; count < 2; count += 1) expect(await add({ name: 'Saw' })).toEqual([429, '"add-done";r=0;t=60']);
  });

  test('A request counts until its reply is known, so simultaneous ones cannot exceed the limit', async () => {
    const handlers: Record<string, AnyHandler> = {};
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const handled = new Promise<void>((handling) => {
      const addSlowly: AnyHandler = async () => {
        handling();
        await released;
        return { status: 201, headers: { Location: '/tools/2' }, body: { id: 2, name: 'Saw', note: null, parts: [] } };
      };
      handlers['addTool'] = addSlowly;
    });
    await start({ rateLimiter: countingLimiter({ ADD_DONE_LIMIT: 1 }), handlers });
    const first = workshop.fetch('/tools', addTool({ name: 'Saw' }));
    await handled;
    expect((await workshop.fetch('/tools', addTool({ name: 'Saw' }))).status).toBe(429);
    release();
    expect((await first).status).toBe(201);
  });

  test('A failure to give back a count is logged, and the reply is sent', async () => {
    const limiter = countingLimiter({ ADD_DONE_LIMIT: 2 });
    await start({ rateLimiter: { ...limiter, giveBack: () => Promise.reject(new Error('the database is gone')) } });
    expect((await workshop.fetch('/tools', addTool({}))).status).toBe(422);
    expect(workshop.log.map(({ level }) => level)).toEqual(['warn']);
  });

  test('A policy of sessions counts valid tokens by their session, and all others by IP address', async () => {
    await start({ rateLimiter: countingLimiter({ ADD_SESSION_LIMIT: 2 }) });
    const add = async (name: string): Promise<number> => (await workshop.fetch('/tools', addTool({ name }))).status;
    for (const session of ['A', 'B']) {
      expect([await add(`token-of-${session}-1`), await add(`token-of-${session}-2`)]).toEqual([201, 201]);
      expect(await add(`token-of-${session}-3`)).toBe(429);
    }
    expect([await add('made up'), await add('made up, too'), await add('another')]).toEqual([201, 201, 429]);
  });

  test('A policy of sessions finds the valid token among several cookies', async () => {
    const limiter = countingLimiter({ ADD_BENCH_LIMIT: 9 });
    await start({ rateLimiter: limiter });
    for (const cookie of ['token-of-A-1', 'x; workbench=token-of-A-1', 'token-of-A-1; workbench=x']) {
      await workshop.fetch('/tools', addTool({ name: 'Saw' }, { Cookie: `workbench=${cookie}` }));
    }
    expect(limiter.keys).toEqual(Array(3).fill('["add-bench","A"]'));
  });

  test('The key of a long property is short', async () => {
    const limiter = countingLimiter({ ADD_NAME_LIMIT: 9 });
    await start({ rateLimiter: limiter });
    await workshop.fetch('/tools', addTool({ name: 'x'.repeat(2000) }));
    await workshop.fetch('/tools', addTool({ name: `${'x'.repeat(2000)}y` }));
    expect(Math.max(...limiter.keys.map((key) => key.length))).toBeLessThan(400);
    expect(new Set(limiter.keys).size).toBe(2);
  });
});

describe("the caller's address", () => {
  const spoofed = { 'X-Forwarded-For': '203.0.113.7' };
  const clientOf = async (trustedProxies: string[], headers: Record<string, string>): Promise<string | null> => {
    await start({ trustedProxies });
    await workshop.fetch('/tools/1', { headers });
    return workshop.served[0]?.clientIp ?? null;
  };

  test('is the peer, whatever X-Forwarded-For says', async () => {
    expect(await clientOf([], spoofed)).toBe('127.0.0.1');
  });

  test('is the one reported by a trusted proxy', async () => {
    expect(await clientOf(['127.0.0.0/8'], spoofed)).toBe('203.0.113.7');
  });

  test('is the last untrusted address, not one that the caller has added before it', async () => {
    const headers = { 'X-Forwarded-For': '198.51.100.1, 203.0.113.7, 10.0.0.2' };
    expect(await clientOf(['127.0.0.1', '10.0.0.0/8'], headers)).toBe('203.0.113.7');
  });

  test('is the peer if that is not a trusted proxy', async () => {
    expect(await clientOf(['10.0.0.0/8'], spoofed)).toBe('127.0.0.1');
  });

  test('is the key of the rate limits: an untrusted X-Forwarded-For does not bypass them', async () => {
    await start({ rateLimiter: countingLimiter({ ADD_IP_LIMIT: 1 }) });
    const add = (ip: string): RequestInit => addTool({ name: 'Saw' }, { 'X-Forwarded-For': ip });
    expect((await workshop.fetch('/tools', add('203.0.113.1'))).status).toBe(201);
    expect((await workshop.fetch('/tools', add('203.0.113.2'))).status).toBe(429);
  });

  test('An invalid address of a trusted proxy fails the start', async () => {
    await start();
    await expect(startWorkshop({ trustedProxies: ['proxy.example'] })).rejects.toThrow('proxy.example');
  });
});

describe('the request id', () => {
  const idFor = async (lines: string): Promise<string | null> => {
    await start();
    const reply = await sendRaw(workshop.url, `GET /tools/1 HTTP/1.1\r\nHost: h\r\n${lines}\r\n`);
    return reply.headers.get('x-request-id');
  };
  const minted = /^[\da-f-]{36}$/;

  test('is that of the caller', async () => {
    expect(await idFor('X-Request-Id: trace.01:AB-c_d\r\n')).toBe('trace.01:AB-c_d');
  });

  test.each([
    '',
    'X-Request-Id: a b\r\n',
    'X-Request-Id: <x>\r\n',
    `X-Request-Id: ${'x'.repeat(129)}\r\n`,
    'X-Request-Id: a\r\nX-Request-Id: b\r\n',
  ])('is generated in place of %j, which is unsuitable for a log', async (lines) => {
    expect(await idFor(lines)).toMatch(minted);
  });

  test('is in every problem, and different for each request', async () => {
    await start();
    const [first, second] = [await workshop.fetch('/nowhere'), await workshop.fetch('/tools/x')];
    expect(first.headers.get('x-request-id')).not.toBe(second.headers.get('x-request-id'));
    expect(await first.json()).toMatchObject({ request_id: first.headers.get('x-request-id') });
    expect(await second.json()).toMatchObject({ request_id: second.headers.get('x-request-id') });
  });
});
