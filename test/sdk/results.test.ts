import { describe, expect, it } from 'vitest';
import * as problems from '../../generated/problems.js';
import { PlumblineError, UnexpectedReplyError, unwrap } from '../../sdk/src/index.js';
import {
  createPlatformClient,
  forgotPassword,
  getLiveness,
  getMe,
  getMetrics,
  isProblem,
  login,
  listMembers,
  revokeAllSessions,
  revokeSession,
  verifyEmail,
} from '../../sdk/src/platform.js';
import { me, startPlatform } from './platform-server.js';
import { reply, startScript } from './scripted-server.js';

const credentials = { body: { email: 'robin@example.com', password: 'seven quiet rivers 7' } };

describe('the result of a call', () => {
  it('carries the data, the status, the headers and the request id of a success', async () => {
    const { url } = await startPlatform({
      handlers: { getLiveness: () => ({ status: 200, body: { status: 'alive' } }) },
    });
    const result = await getLiveness(createPlatformClient({ baseUrl: url }), { headers: { 'X-Request-Id': 'mine-1' } });
    expect(result).toMatchObject({ ok: true, status: 200, data: { status: 'alive' }, requestId: 'mine-1' });
    expect(result.headers.get('content-type')).toContain('application/json');
  });

  it('carries the problem of a refusal, which narrows on status and on type', async () => {
    const { url } = await startPlatform({
      handlers: { login: () => problems.accountLocked({ message: 'Locked.', retry_after_seconds: 900 }) },
    });
    const result = await login(createPlatformClient({ baseUrl: url }), credentials);
    if (result.status !== 429) throw new Error(`Expected 429, got ${result.status}`);
    if (result.problem.type !== '/problems/account-locked') throw new Error(result.problem.type);
    const seconds: number = result.problem.retry_after_seconds;
    expect(seconds).toBe(900);
    expect(result.requestId).toBe(result.problem.request_id);
  });

  it('has no data for a reply without a body', async () => {
    const { url } = await startPlatform({ handlers: { revokeAllSessions: () => ({ status: 204 }) } });
    const result = await revokeAllSessions(withToken(url));
    expect(result).toMatchObject({ ok: true, status: 204, data: undefined });
  });

  it('is the text of a text reply', async () => {
    const { url } = await startPlatform({ handlers: { getMetrics: () => ({ status: 200, body: 'up 1\n' }) } });
    const client = createPlatformClient({ baseUrl: url });
    const result = await getMetrics(client, { headers: { authorization: 'Bearer of-the-metrics' } });
    expect(unwrap(result)).toBe('up 1\n');
  });

  it('is returned for an unknown problem', async () => {
    const future = { type: '/problems/from-the-future', title: 'New', status: 409, message: 'New.', request_id: 'r' };
    const { url } = await startScript(reply(409, future));
    const result = await getLiveness(createPlatformClient({ baseUrl: url }));
    expect(result).toMatchObject({ ok: false, status: 409, problem: future });
    expect(isProblem(future)).toBe(false);
  });
});

describe('unwrap', () => {
  it('returns the data of a success', async () => {
    const { url } = await startPlatform({ handlers: { getMe: () => ({ status: 200, body: me }) } });
    expect(unwrap(await getMe(withToken(url)))).toEqual(me);
  });

  it('throws a refusal as an error that carries status, problem and request id', async () => {
    const { url } = await startPlatform({ handlers: { login: () => problems.invalidCredentials() } });
    const result = await login(createPlatformClient({ baseUrl: url }), credentials);
    const error = thrownBy(() => unwrap(result));
    if (!(error instanceof PlumblineError)) throw new Error('not a PlumblineError', { cause: error });
    expect(error).toMatchObject({ name: 'PlumblineError', status: 401, requestId: result.requestId });
    expect(error.message).toContain(String(result.requestId));
    expect(isProblem(error.problem) && error.problem.type).toBe('/problems/invalid-credentials');
  });
});

describe('a request', () => {
  it('carries path parameters and query, percent-encoded', async () => {
    const { url, requests } = await startScript(reply(200, { items: [], next_cursor: null }));
    await listMembers(createPlatformClient({ baseUrl: `${url}/base/` }), {
      params: { org_id: 'a/b ?' },
      query: { limit: 5, cursor: 'x&y' },
    });
    expect(requests[0]?.url).toBe('/base/api/v1/organizations/a%2Fb%20%3F/members?limit=5&cursor=x%26y');
  });

  it('asks for the documented media type and for problems', async () => {
    const { url, requests } = await startScript(reply(200, { message: 'Sent.', verified: null }));
    await forgotPassword(createPlatformClient({ baseUrl: url, headers: { 'X-Client': 'test' } }), {
      body: { email: 'robin@example.com' },
    });
    expect(requests[0]).toMatchObject({
      method: 'POST',
      headers: {
        accept: 'application/json, application/problem+json',
        'x-client': 'test',
        'content-type': 'application/json',
      },
      body: '{"email":"robin@example.com"}',
    });
  });

  const absent: unknown[] = [undefined, null];
  it.each(['', '.', '..', ...absent])(
    'is not sent with the path parameter %j, which would call another operation',
    async (id) => {
      const { url, requests } = await startScript(reply(204, null));
      // JavaScript is not checked by the types.
      const call = revokeSession(withToken(url), { params: { session_id: id as string } });
      await expect(call).rejects.toThrow('The path parameter session_id must not be missing, empty');
      expect(requests).toEqual([]);
    },
  );

  it('is not sent without a parameter of its path', async () => {
    const { url, requests } = await startScript(reply(204, null));
    const calls = [{ params: {} }, {}].map((request) => Reflect.apply(revokeSession, null, [withToken(url), request]));
    for (const call of calls) await expect(call).rejects.toThrow('The path parameter session_id must not be missing');
    expect(requests).toEqual([]);
  });

  it('leaves out a parameter of the query that is undefined', async () => {
    const { url, requests } = await startScript(reply(200, { items: [], next_cursor: null }));
    await listMembers(createPlatformClient({ baseUrl: url }), {
      params: { org_id: 'a' },
      query: { limit: 5, cursor: undefined },
    });
    expect(requests[0]?.url).toBe('/api/v1/organizations/a/members?limit=5');
  });

  it('uses the fetch function of the client', async () => {
    const urls: string[] = [];
    const client = createPlatformClient({
      baseUrl: 'http://localhost',
      fetch: (url, init) => {
        urls.push(`${init.method} ${url}`);
        return Promise.resolve(Response.json({ status: 'alive' }));
      },
    });
    expect(unwrap(await getLiveness(client))).toEqual({ status: 'alive' });
    expect(urls).toEqual(['GET http://localhost/health/live']);
  });

  it.each([
    'plumbline.example.com',
    'ftp://example.com',
    'https://me:secret@example.com',
    'https://example.com?x=secret',
  ])('cannot have the base URL %s, and the refusal does not repeat it', (baseUrl) => {
    const error = thrownBy(() => createPlatformClient({ baseUrl }));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain('secret');
  });
});

describe('a reply that the contract does not have', () => {
  it.each([
    ['a page of a proxy', 200, 'text/html', '<html>'],
    ['broken JSON', 200, 'application/json', '{"status":'],
    ['an empty body', 200, 'application/json', ''],
    ['another success', 202, 'application/json', '{}'],
    ['an error page', 500, 'text/html', '<html>'],
    ['JSON that is not a problem', 404, 'application/problem+json', '{"detail":"?"}'],
    ['a redirect', 302, 'text/plain', ''],
  ])('such as %s is thrown with its status and request id', async (_what, status, contentType, body) => {
    const { url } = await startScript((response) => {
      response.writeHead(status, { 'content-type': contentType, 'x-request-id': 'req-9', location: '/elsewhere' });
      response.end(body);
    });
    const error: unknown = await verifyEmail(createPlatformClient({ baseUrl: url }), {
      query: { token: 'one-time-secret' },
    }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnexpectedReplyError);
    expect(error).toMatchObject({ name: 'UnexpectedReplyError', status, contentType, requestId: 'req-9' });
    expect(String(error)).not.toContain('one-time-secret');
  });
});

function withToken(url: string): ReturnType<typeof createPlatformClient> {
  const client = createPlatformClient({ baseUrl: url });
  void client.tokens.set({ access_token: 'access-1' });
  return client;
}

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
