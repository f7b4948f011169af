import { describe, expect, expectTypeOf, it } from 'vitest';
import composeContract from '../../generated/compose/openapi.json' with { type: 'json' };
import platformContract from '../../generated/platform/openapi.json' with { type: 'json' };
import { operationsByPath as composeOperations } from '../../sdk/src/generated/compose/paths.js';
import { operationsByPath as platformOperations } from '../../sdk/src/generated/platform/paths.js';
import { UnexpectedReplyError } from '../../sdk/src/index.js';
import { createComposeClient } from '../../sdk/src/compose.js';
import { withPaths as withComposePaths } from '../../sdk/src/compose/paths.js';
import { createPlatformClient, getMe, type Schemas } from '../../sdk/src/platform.js';
import { withPaths, type PlatformPaths } from '../../sdk/src/platform/paths.js';
import { startTestPlatform } from '../support/platform.js';
import { startCompose } from './compose-server.js';
import { me, startPlatform, tokens, user } from './platform-server.js';
import { hangUp, problem, recordedTiming, reply, startScript } from './scripted-server.js';
import { pair } from './token-pairs.js';

const orgId = 'b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03';
const team = { id: 'payments', name: 'Payments', members: [], repositories: [] };

describe('a call by its path', () => {
  it('is answered by the real server, with the tokens of a login by its path', async () => {
    const platform = await startTestPlatform();
    try {
      const { email, password } = await platform.signUp();
      const client = withPaths(createPlatformClient({ baseUrl: platform.url }));
      const refused = await client.GET('/api/v1/auth/me');
      expect(refused).toMatchObject({ error: { type: '/problems/unauthenticated' }, response: { status: 401 } });
      await client.POST('/api/v1/auth/login', { body: { email, password } });
      const { data } = await client.GET('/api/v1/auth/me');
      expect(data?.email).toBe(email);
      expect(await getMe(client)).toMatchObject({ ok: true, data: { email } });
    } finally {
      await platform.stop();
    }
  });

  it('renews a refused access token and is sent again', async () => {
    const server = await startPlatform({
      handlers: {
        getMe: () => ({ status: 200, body: me }),
        refreshTokens: () => ({ status: 200, body: { ...tokens(2), user } }),
      },
      accepts: (token) => token === 'access-2',
    });
    const client = withPaths(createPlatformClient({ baseUrl: server.url }));
    await client.tokens.set(pair(1));
    expect((await client.GET('/api/v1/auth/me')).data).toEqual(me);
    expect(await client.tokens.get()).toEqual(pair(2));
  });

  it('that creates something is sent again with one idempotency key', async () => {
    const server = await startScript(hangUp, reply(201, team, { location: '/x' }));
    const client = withPaths(createPlatformClient({ baseUrl: server.url, timing: recordedTiming() }));
    const path = { org_id: orgId };
    expect((await client.POST('/api/v1/organizations/{org_id}/teams', { params: { path }, body: team })).data).toEqual(
      team,
    );
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/.{16}/), keys[0]]);
    const options = { params: { path, header: { 'Idempotency-Key': 'mine' } }, body: team };
    await client.POST('/api/v1/organizations/{org_id}/teams', options);
    expect(server.requests.at(-1)?.headers['idempotency-key']).toBe('mine');
  });

  it('sends the parameters of the path, of the query and of the headers, and its own headers', async () => {
    const server = await startScript(reply(200, { items: [], next_cursor: null }));
    const client = withPaths(createPlatformClient({ baseUrl: server.url }));
    await client.GET('/api/v1/organizations/{org_id}/teams', {
      params: { path: { org_id: orgId }, query: { limit: 5 } },
      headers: { 'X-Request-Id': 'checkout-4711' },
    });
    expect(server.requests[0]).toMatchObject({
      url: `/api/v1/organizations/${orgId}/teams?limit=5`,
      headers: { 'x-request-id': 'checkout-4711' },
    });
  });

  it('is retried, and fails as its function does when the contract has no such reply', async () => {
    const server = await startScript(problem(503, 'service-unavailable'), reply(299, {}));
    const client = withPaths(createPlatformClient({ baseUrl: server.url, timing: recordedTiming() }));
    await expect(client.GET('/api/v1/auth/me')).rejects.toThrow(UnexpectedReplyError);
    expect(server.requests).toHaveLength(2);
  });

  it('is refused when JavaScript asks for a path that the API does not have', async () => {
    const client = withPaths(createPlatformClient({ baseUrl: 'http://127.0.0.1:9' }));
    const call = client.GET as (path: string) => Promise<unknown>;
    await expect(call('/api/v1/nothing')).rejects.toThrow(
      new TypeError('The API has no operation GET /api/v1/nothing that can be called by its path'),
    );
  });

  it('works with the compose API', async () => {
    const body = { ok: true, server: 'plumbline-compose', version: '1.2.3' } as const;
    const address = await startCompose({ ping: () => ({ status: 200, body }) }, 'tcp');
    const client = withComposePaths(createComposeClient({ address }));
    expect((await client.GET('/_ping')).data).toEqual(body);
  });

  it('exists for every operation that is not a stream', () => {
    for (const [contract, table] of [
      [platformContract, platformOperations],
      [composeContract, composeOperations],
    ] as const) {
      const documented = Object.entries(contract.paths).flatMap(([path, item]) =>
        Object.entries(item).flatMap(([method, operation]) =>
          /"(?:text\/event-stream|application\/x-ndjson)":/.test(JSON.stringify(operation))
            ? []
            : [`${method.toUpperCase()} ${path}`],
        ),
      );
      const callable = Object.entries(table).flatMap(([path, calls]) =>
        Object.keys(calls).map((method) => `${method} ${path}`),
      );
      expect(callable.sort()).toEqual(documented.sort());
    }
  });
});

describe('the types of calls by path', () => {
  const client = withPaths(createPlatformClient({ baseUrl: 'http://127.0.0.1:9' }));
  type Calls = PlatformPaths;

  it('are inferred from the contract: the reply, and problems that narrow on their type', () => {
    const check = async (): Promise<void> => {
      const me = await client.GET('/api/v1/auth/me');
      if (me.error === undefined) expectTypeOf(me.data).toEqualTypeOf<Schemas['MeResponse']>();
      const { error } = await client.POST('/api/v1/auth/login', { body: { email: 'a@b.example', password: 'p' } });
      if (error?.type === '/problems/rate-limited') expectTypeOf(error.retry_after_seconds).toEqualTypeOf<number>();
    };
    expectTypeOf(check).toBeFunction();
  });

  it('refuse wrong paths, methods, bodies, parameters and options', () => {
    const wrong = [
      // @ts-expect-error -- there is no such path
      (calls: Calls) => calls.GET('/api/v1/auth/nobody'),
      // @ts-expect-error -- the path has another method
      (calls: Calls) => calls.GET('/api/v1/auth/login'),
      // @ts-expect-error -- the body is required
      (calls: Calls) => calls.POST('/api/v1/auth/login'),
      // @ts-expect-error -- a member of the body is missing
      (calls: Calls) => calls.POST('/api/v1/auth/login', { body: { email: 'robin@example.com' } }),
      // @ts-expect-error -- the parameter of the path is required
      (calls: Calls) => calls.GET('/api/v1/organizations/{org_id}/teams', { params: {} }),
      // @ts-expect-error -- the operation has no such option
      (calls: Calls) => calls.GET('/api/v1/auth/me', { parseAs: 'blob' }),
    ];
    expect(wrong).toHaveLength(6);
  });
});
