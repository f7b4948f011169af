import { describe, expect, expectTypeOf, it } from 'vitest';
import { ConnectionError, paginate, unwrap } from '../../sdk/src/index.js';
import { createComposeClient, getContainerLogs } from '../../sdk/src/compose.js';
import {
  createPlatformClient,
  createTeam,
  getMe,
  getTeam,
  importTeams,
  listMyOrganizations,
  listTeams,
  login,
  revokeSession,
} from '../../sdk/src/platform.js';
import * as platform from '../../sdk/src/platform.js';
import { createFakeCompose, createFakePlatform } from '../../sdk/src/testing.js';
import { routes } from '../../generated/platform/routes.js';
import document from '../../generated/platform/openapi.json' with { type: 'json' };
import { recordedTiming } from './scripted-server.js';

const org_id = 'b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03';
const body = { email: 'robin@example.com', password: 'seven quiet rivers 7' };

function connected(): {
  fake: ReturnType<typeof createFakePlatform>;
  client: platform.PlatformClient;
  slept: number[];
} {
  const fake = createFakePlatform();
  const timing = recordedTiming();
  const client = createPlatformClient({ baseUrl: 'https://plumbline.example.com', fetch: fake.fetch, timing });
  return { fake, client, slept: timing.slept };
}

describe('a fake server', () => {
  it('answers each operation with the first success of the contract', async () => {
    const { client } = connected();
    const { example } = document.paths['/api/v1/auth/me'].get.responses[200].content['application/json'];
    expect(await getMe(client)).toMatchObject({ ok: true, status: 200, data: example });
    expect(await revokeSession(client, { params: { session_id: 's' } })).toMatchObject({ ok: true, status: 204 });
  });

  it('answers a path that two operations fit with the literal one', async () => {
    const { fake, client } = connected();
    await listMyOrganizations(client);
    await getTeam(client, { params: { org_id, team_id: 'a/b' } });
    expect(fake.calls.map(({ operation, params }) => [operation, params])).toEqual([
      ['listMyOrganizations', {}],
      ['getTeam', { org_id, team_id: 'a/b' }],
    ]);
  });

  it('answers every function of the client', async () => {
    const { fake } = connected();
    const client = createPlatformClient({ baseUrl: 'https://plumbline.example.com', token: 't', fetch: fake.fetch });
    const functions: Readonly<Record<string, unknown>> = { ...platform };
    for (const { operationId, path } of routes) {
      const call = functions[operationId];
      if (typeof call !== 'function') throw new Error(`there is no function ${operationId}`);
      const params = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'x']));
      expect([operationId, await call(client, { params })]).toMatchObject([operationId, { ok: true }]);
      expect(fake.calls.at(-1)).toMatchObject({ operation: operationId, params });
    }
    expect(fake.calls).toHaveLength(routes.length);
  });

  it('records what it was sent', async () => {
    const { fake, client } = connected();
    await login(client, { body });
    await createTeam(client, { params: { org_id }, body: { id: 'payments' }, idempotencyKey: 'key-1' });
    await listTeams(client, { params: { org_id }, query: { limit: 7 } });
    await importTeams(client, { params: { org_id }, body: 'teams: []\n' });
    expect(fake.calls.map((call) => [call.operation, call.body])).toEqual([
      ['login', body],
      ['createTeam', { id: 'payments' }],
      ['listTeams', undefined],
      ['importTeams', 'teams: []\n'],
    ]);
    const [, created, listed] = fake.calls;
    expect(created?.headers.get('idempotency-key')).toBe('"key-1"');
    expect(created?.headers.get('authorization')).toMatch(/^Bearer /);
    expect([...(listed?.query ?? [])]).toEqual([['limit', '7']]);
    fake.reset();
    expect(fake.calls).toEqual([]);
  });

  it('answers what was set: a status, an example, a body, headers', async () => {
    const { fake, client } = connected();
    fake.reply('login', 401);
    expect(await login(client, { body })).toMatchObject({
      status: 401,
      problem: { type: '/problems/invalid-credentials' },
      requestId: '0197b1f2-6f0e-7c3a-9d55-2f1f7f6f0c11',
    });
    fake.reply('login', 200, { example: 'email_verification_required' });
    expect(await login(client, { body })).toMatchObject({ data: { status: 'email_verification_required' } });
    fake.reply('listTeams', 200, { body: { items: [], next_cursor: null }, headers: { 'x-page': 'last' } });
    const teams = await listTeams(client, { params: { org_id } });
    expect([teams.data, teams.headers.get('x-page')]).toEqual([{ items: [], next_cursor: null }, 'last']);
    fake.reset();
    expect(await login(client, { body })).toMatchObject({ ok: true });
  });

  it('answers limited replies first, in their order, for tests of retries and pages', async () => {
    const { fake, client, slept } = connected();
    fake.reply('getMe', 401);
    fake.reply('getMe', 503, { times: 2 });
    fake.reply('getMe', 200, { times: 1 });
    expect(await getMe(client)).toMatchObject({ ok: true });
    expect(slept).toHaveLength(2);
    expect(await getMe(client)).toMatchObject({ status: 401 });

    const team = unwrap(await getTeam(client, { params: { org_id, team_id: 't' } }));
    fake.reply('listTeams', 200, { times: 1, body: { items: [team], next_cursor: 'next' } });
    fake.reply('listTeams', 200, { body: { items: [team], next_cursor: null } });
    const all = paginate(listTeams, client, { params: { org_id } });
    expect(await all.toArray({ limit: 9 })).toEqual([team, team]);
  });

  it('refuses what the contract does not have', async () => {
    const { fake, client } = connected();
    expect(() => {
      // @ts-expect-error -- the contract has no reply 418
      fake.reply('getMe', 418);
    }).toThrow('The contract has no reply 418 of getMe');
    expect(() => {
      fake.reply('login', 200, { example: 'nobody' });
    }).toThrow(
      'The reply 200 of login has no example nobody. There are: logged_in, orgless, email_verification_required',
    );
    // @ts-expect-error -- the body has other members
    fake.reply('getReadiness', 200, { body: { nothing: true } });
    const other = createPlatformClient({
      baseUrl: 'https://plumbline.example.com/below',
      fetch: fake.fetch,
      retries: 0,
    });
    const error = await getMe(other).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String((error as ConnectionError).cause)).toContain('has no operation GET /below/api/v1/auth/me');
    expectTypeOf(client.api).toEqualTypeOf<'platform'>();
  });

  it('aborts as the real fetch does', async () => {
    const { client } = connected();
    await expect(getMe(client, { signal: AbortSignal.abort('no') })).rejects.toBe('no');
  });

  it('streams the lines of the Compose API', async () => {
    const fake = createFakeCompose();
    const client = createComposeClient({ address: 'tcp://127.0.0.1:1', fetch: fake.fetch });
    const lines: unknown[] = [];
    for await (const line of unwrap(await getContainerLogs(client, { params: { id: 'web' } }))) lines.push(line);
    expect(lines).toEqual([{ stream: 'stdout', time: '2026-03-02T09:15:02.000000000Z', line: 'listening on 8080' }]);
  });
});
