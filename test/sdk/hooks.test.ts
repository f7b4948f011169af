import { describe, expect, it } from 'vitest';
import { ApiVersionError, ConnectionError, type AttemptReport, type Middleware } from '../../sdk/src/index.js';
import {
  apiVersion,
  createPlatformClient,
  getLiveness,
  getMe,
  listMembers,
  login,
  verifyEmail,
} from '../../sdk/src/platform.js';
import { sdkVersion } from '../../sdk/src/version.js';
import manifest from '../../sdk/package.json' with { type: 'json' };
import { me, startPlatform } from './platform-server.js';
import { hangUp, problem, recordedTiming, reply, startScript } from './scripted-server.js';

const alive = reply(200, { status: 'alive' });
const token = 'access-token-of-robin';
const password = 'seven quiet rivers 7';

describe('middleware', () => {
  it('sees the request without the access token, and the reply', async () => {
    const server = await startPlatform({ handlers: { getMe: () => ({ status: 200, body: me }) } });
    const seen: unknown[] = [];
    const middleware: Middleware = {
      onRequest: ({ request, schemaPath }) => {
        seen.push([request.method, request.url, schemaPath, request.headers.has('authorization')]);
      },
      onResponse: async ({ response }) => {
        const body: unknown = await response.clone().json();
        seen.push([response.status, response.url, body]);
      },
    };
    const client = createPlatformClient({ baseUrl: server.url, token, middleware: [middleware] });
    expect(await getMe(client)).toMatchObject({ ok: true, data: { email: me.email } });
    const url = `${server.url}/api/v1/auth/me`;
    expect(seen).toEqual([
      ['GET', url, '/api/v1/auth/me', false],
      [200, url, expect.objectContaining({ email: me.email })],
    ]);
  });

  it('can change the request, and runs once however often it is sent', async () => {
    const server = await startScript(hangUp, alive);
    let runs = 0;
    const onRequest: Middleware['onRequest'] = ({ request }) => {
      runs++;
      request.headers.set('x-tenant', 'north');
      return request;
    };
    const client = createPlatformClient({
      baseUrl: server.url,
      timing: recordedTiming(),
      middleware: [{ onRequest }],
    });
    expect(await getLiveness(client)).toMatchObject({ ok: true });
    expect([runs, server.requests.map(({ headers }) => headers['x-tenant'])]).toEqual([1, ['north', 'north']]);
  });

  it('can answer in place of the server, and sees a failure', async () => {
    const failures: unknown[] = [];
    const onError: Middleware['onError'] = ({ error }) => {
      failures.push(error);
    };
    const middleware: Middleware[] = [{ onError }];
    const client = createPlatformClient({ baseUrl: 'http://127.0.0.1:1', retries: 0, middleware });
    await expect(getLiveness(client)).rejects.toBeInstanceOf(ConnectionError);
    expect(failures).toEqual([expect.any(ConnectionError)]);
    middleware.push({ onRequest: () => Response.json({ status: 'alive' }) });
    const answering = createPlatformClient({ baseUrl: 'http://127.0.0.1:1', middleware });
    expect(await getLiveness(answering)).toMatchObject({ ok: true, data: { status: 'alive' } });
  });
});

describe('debug', () => {
  it('reports each attempt', async () => {
    const server = await startScript(hangUp, problem(503, 'service-unavailable'), alive);
    const reports: AttemptReport[] = [];
    const debug = (report: AttemptReport): void => void reports.push(report);
    await getLiveness(createPlatformClient({ baseUrl: server.url, timing: recordedTiming(), debug }));
    const common = { operation: 'GET /health/live', durationMs: 0 };
    expect(reports).toEqual([
      { ...common, attempt: 1, status: null, requestId: null, error: 'ConnectionError' },
      { ...common, attempt: 2, status: 503, requestId: 'req-1', error: null },
      { ...common, attempt: 3, status: 200, requestId: 'req-1', error: null },
    ]);
  });

  it('writes nothing secret to the console', async () => {
    const server = await startPlatform({ handlers: {} });
    const lines: string[] = [];
    const { debug } = console;
    console.debug = (...parts: unknown[]): void => void lines.push(JSON.stringify(parts));
    try {
      const client = createPlatformClient({ baseUrl: server.url, token, headers: { 'X-Key': 'key-1' }, debug: true });
      await login(client, { body: { email: 'robin@example.com', password } });
      await verifyEmail(client, { query: { token: 'verification-token' } });
      await listMembers(client, { params: { org_id: me.org_id ?? '' } });
    } finally {
      console.debug = debug;
    }
    expect(lines).toHaveLength(3);
    expect(lines[2]).toContain('"operation":"GET /api/v1/organizations/{org_id}/members"');
    expect(lines.join()).not.toMatch(new RegExp([token, password, 'robin', 'key-1', 'verification-token'].join('|')));
  });

  it('writes nothing unless it is on', async () => {
    const server = await startScript(alive);
    const { debug } = console;
    console.debug = (): never => {
      throw new Error('this client does not log');
    };
    try {
      for (const debugging of [false, undefined]) {
        await getLiveness(createPlatformClient({ baseUrl: server.url, debug: debugging }));
      }
    } finally {
      console.debug = debug;
    }
    expect(server.requests).toHaveLength(2);
  });
});

describe('the reply itself', () => {
  it('is part of every result', async () => {
    const server = await startScript(alive, problem(503, 'service-unavailable'));
    const client = createPlatformClient({ baseUrl: server.url, retries: 0 });
    for (const status of [200, 503]) {
      const { response } = await getLiveness(client);
      expect([response.status, response.url]).toEqual([status, `${server.url}/health/live`]);
      expect(response.headers.get('x-request-id')).toBe('req-1');
    }
  });
});

describe('the version of the client', () => {
  it('is that of the package', () => {
    expect(sdkVersion).toBe(manifest.version);
  });

  it('is sent with every request, and in the User-Agent of Node', async () => {
    const server = await startScript(alive);
    await getLiveness(createPlatformClient({ baseUrl: server.url }));
    await getLiveness(createPlatformClient({ baseUrl: server.url, headers: { 'User-Agent': 'robot/1' } }));
    const name = `plumbline-sdk/${sdkVersion}`;
    expect(server.requests.map(({ headers }) => [headers['x-client-version'], headers['user-agent']])).toEqual([
      [name, `${name} node/${process.version}`],
      [name, 'robot/1'],
    ]);
  });
});

describe('the version of the API', () => {
  const next = `${Number.parseInt(apiVersion) + 1}.0.0`;

  it.each([
    ['a success', reply(200, { status: 'alive' }, { 'x-api-version': next })],
    ['a problem', problem(422, 'validation-failed', { 'x-api-version': next })],
  ])('of another major number is an error, with %s', async (_what, step) => {
    const server = await startScript(step);
    const call = getLiveness(createPlatformClient({ baseUrl: server.url }));
    await expect(call).rejects.toBeInstanceOf(ApiVersionError);
    await expect(call).rejects.toMatchObject({
      name: 'ApiVersionError',
      served: next,
      expected: apiVersion,
      message: `GET /health/live: the server has version ${next} of the API, and this client is for ${apiVersion}. Install the version of @plumbline/sdk that fits the server`,
    });
  });

  it('is ignored if the client says so', async () => {
    const server = await startScript(reply(200, { status: 'alive' }, { 'x-api-version': next }));
    const client = createPlatformClient({ baseUrl: server.url, ignoreApiVersion: true });
    expect(await getLiveness(client)).toMatchObject({ ok: true });
  });

  it('may have another minor number, or be unknown', async () => {
    const version = `${Number.parseInt(apiVersion)}.99.1`;
    const server = await startScript(reply(200, { status: 'alive' }, { 'x-api-version': version }), alive);
    const client = createPlatformClient({ baseUrl: server.url });
    expect(await getLiveness(client)).toMatchObject({ ok: true });
    expect(await getLiveness(client)).toMatchObject({ ok: true });
  });
});
