import { describe, expect, it } from 'vitest';
import { createTeam, createDemoData, createPlatformClient, type PlatformClient } from '../../sdk/src/platform.js';
import { hangUp, problem, recordedTiming, reply, startScript, type ScriptedServer } from './scripted-server.js';

const team = { id: 'payments', name: 'Payments', members: [], repositories: [] };
const created = reply(201, team, { location: '/x' });
const request = { params: { org_id: 'b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03' }, body: team };

describe('a POST that creates something', () => {
  it.each([
    ['a lost connection', hangUp],
    ['502', problem(502, 'bad-gateway')],
    ['503', problem(503, 'service-unavailable')],
    ['504', problem(504, 'gateway-timeout')],
    ['429', problem(429, 'rate-limited')],
  ])('is sent again after %s with the same key', async (_what, failure) => {
    const server = await startScript(failure, failure, created);
    expect(await createTeam(clientOf(server).client, request)).toMatchObject({ ok: true, status: 201 });
    const keys = keysOf(server);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
  });

  it('is sent again when the first attempt is still being handled', async () => {
    const server = await startScript(hangUp, problem(409, 'idempotency-key-in-use', { 'retry-after': '1' }), created);
    const { client, slept } = clientOf(server);
    expect(await createTeam(client, request)).toMatchObject({ ok: true });
    expect(slept).toEqual([500, 1000]);
  });

  it('is sent again after a 500, which has had no effect', async () => {
    const server = await startScript(problem(500, 'internal-error'), created);
    expect(await createTeam(clientOf(server).client, request)).toMatchObject({ ok: true });
    expect(server.requests).toHaveLength(2);
  });

  it('is not sent again after another conflict', async () => {
    const server = await startScript(problem(409, 'team-exists'), created);
    expect(await createTeam(clientOf(server).client, request)).toMatchObject({ ok: false });
    expect(server.requests).toHaveLength(1);
  });

  it('keeps its key when the access token is renewed', async () => {
    const renewed = reply(200, { access_token: 'b', refresh_token: 'r2', token_type: 'bearer', expires_in: 900 });
    const server = await startScript(problem(401, 'unauthenticated'), renewed, created);
    const { client } = clientOf(server);
    await client.tokens.set({ access_token: 'a', refresh_token: 'r' });
    expect(await createTeam(client, request)).toMatchObject({ ok: true });
    const [first, refresh, second] = keysOf(server);
    expect(refresh).toBeUndefined();
    expect(second).toBe(first);
  });
});

describe('an idempotency key', () => {
  it('is a random one for each call', async () => {
    const server = await startScript(created);
    const { client } = clientOf(server);
    await createTeam(client, request);
    await createTeam(client, request);
    const keys = keysOf(server);
    expect(keys[0]).toMatch(/^"[0-9a-f]{32}"$/);
    expect(keys[1]).not.toBe(keys[0]);
  });

  it('may be given by the caller, also where the operation takes nothing else', async () => {
    const server = await startScript(created, reply(202, {}));
    const { client } = clientOf(server);
    await createTeam(client, { ...request, idempotencyKey: 'order 1, "a\\b"' });
    await createDemoData(client, { idempotencyKey: 'demo' });
    expect(keysOf(server)).toEqual([String.raw`"order 1, \"a\\b\""`, '"demo"']);
  });

  it.each(['', 'ä', 'a\nb', 'k'.repeat(256)])('is not %j', async (idempotencyKey) => {
    const { client } = clientOf(await startScript(created));
    await expect(createTeam(client, { ...request, idempotencyKey })).rejects.toThrow(
      new TypeError('idempotencyKey must have 1 to 255 printable ASCII characters'),
    );
  });
});

function keysOf({ requests }: ScriptedServer): unknown[] {
  return requests.map(({ headers }) => headers['idempotency-key']);
}

function clientOf(server: ScriptedServer): { client: PlatformClient; slept: number[] } {
  const timing = recordedTiming();
  return { client: createPlatformClient({ baseUrl: server.url, timing }), slept: timing.slept };
}
