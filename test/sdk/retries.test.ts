import { describe, expect, it } from 'vitest';
import { ConnectionError, TimeoutError } from '../../sdk/src/index.js';
import { systemTiming } from '../../sdk/src/retry.js';
import {
  createPlatformClient,
  forgotPassword,
  getLiveness,
  revokeSession,
  type PlatformClient,
} from '../../sdk/src/platform.js';
import {
  hangUp,
  problem,
  recordedTiming,
  reply,
  silence,
  startScript,
  type ScriptedServer,
} from './scripted-server.js';

const alive = reply(200, { status: 'alive' });
const sent = reply(200, { message: 'Sent.', verified: null });
const request = { body: { email: 'robin@example.com' } };

describe('an idempotent request', () => {
  it.each([
    ['a lost connection', hangUp],
    ['502', problem(502, 'bad-gateway')],
    ['503', problem(503, 'service-unavailable')],
    ['504', problem(504, 'gateway-timeout')],
    ['429', problem(429, 'rate-limited')],
  ])('is sent again after %s', async (_what, failure) => {
    const server = await startScript(failure, alive);
    const { client } = clientOf(server);
    expect(await getLiveness(client)).toMatchObject({ ok: true });
    expect(server.requests).toHaveLength(2);
  });

  it('is sent again after a timeout', async () => {
    const server = await startScript(silence, alive);
    const { client } = clientOf(server);
    expect(await getLiveness(client, { timeoutMs: 400 })).toMatchObject({ ok: true });
    expect(server.requests).toHaveLength(2);
  });

  it('is sent again when the reply is cut off', async () => {
    const server = await startScript((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"status"', () => response.socket?.destroy());
    }, alive);
    const { client } = clientOf(server);
    expect(await getLiveness(client)).toMatchObject({ ok: true });
  });

  it('is sent at most two more times, and the last reply is the result', async () => {
    const server = await startScript(problem(503, 'service-unavailable'));
    const { client, slept } = clientOf(server);
    expect(await getLiveness(client)).toMatchObject({ ok: false, status: 503 });
    expect(server.requests).toHaveLength(3);
    expect(slept).toEqual([500, 1000]);
  });

  it('is sent once when the call asks for no retries', async () => {
    const server = await startScript(hangUp);
    const { client } = clientOf(server);
    await expect(getLiveness(client, { retries: 0 })).rejects.toBeInstanceOf(ConnectionError);
    expect(server.requests).toHaveLength(1);
  });

  it('may be a DELETE', async () => {
    const server = await startScript(hangUp, (response) => response.writeHead(204).end());
    const { client } = clientOf(server);
    expect(await revokeSession(client, { params: { session_id: 's' } })).toMatchObject({ status: 204 });
  });

  it('is not sent again for a documented refusal', async () => {
    const server = await startScript(problem(404, 'session-not-found'));
    const { client } = clientOf(server);
    expect(await revokeSession(client, { params: { session_id: 's' } })).toMatchObject({ status: 404 });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a POST', () => {
  it.each([
    ['a lost connection', hangUp],
    ['silence', silence],
  ])('is never sent again after %s, because the work may have been done', async (_what, failure) => {
    const server = await startScript(failure, sent);
    const { client } = clientOf(server);
    await expect(forgotPassword(client, { ...request, timeoutMs: 100 })).rejects.toThrow(
      '/api/v1/auth/forgot-password',
    );
    expect(server.requests).toHaveLength(1);
  });

  it('is not sent again after a 503', async () => {
    const server = await startScript(problem(503, 'service-unavailable', { 'retry-after': '1' }), sent);
    const { client } = clientOf(server);
    expect(await forgotPassword(client, request)).toMatchObject({ ok: false, status: 503 });
    expect(server.requests).toHaveLength(1);
  });

  it('is sent again with its body after a 429, which precedes any work', async () => {
    const server = await startScript(problem(429, 'rate-limited', { 'retry-after': '3' }), sent);
    const { client, slept } = clientOf(server);
    expect(await forgotPassword(client, request)).toMatchObject({ ok: true });
    expect(slept).toEqual([3000]);
    expect(server.requests.map(({ body }) => body)).toEqual(Array(2).fill('{"email":"robin@example.com"}'));
  });
});

describe('Retry-After', () => {
  it('may be a date', async () => {
    const at = new Date('2026-03-02T09:00:07Z').toUTCString();
    const { client, slept } = clientOf(
      await startScript(problem(503, 'service-unavailable', { 'retry-after': at }), alive),
    );
    await getLiveness(client);
    expect(slept).toEqual([7000]);
  });

  it('beyond the limit means no further attempt, since an earlier one would be refused', async () => {
    const server = await startScript(problem(429, 'account-locked', { 'retry-after': '31' }), alive);
    const { client, slept } = clientOf(server);
    expect(await getLiveness(client)).toMatchObject({ ok: false, status: 429 });
    expect(slept).toEqual([]);
  });

  it('is ignored if malformed', async () => {
    const { client, slept } = clientOf(
      await startScript(problem(503, 'service-unavailable', { 'retry-after': 'soon' }), alive),
    );
    await getLiveness(client);
    expect(slept).toEqual([500]);
  });
});

describe('a call without a reply', () => {
  it('throws a ConnectionError with the cause, naming the operation', async () => {
    const client = createPlatformClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    const error: unknown = await getLiveness(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toHaveProperty('name', 'ConnectionError');
    expect(error).toHaveProperty('host', '127.0.0.1:1');
    expect(String(error)).toContain('GET /health/live: the connection to 127.0.0.1:1 failed');
    expect(error).toHaveProperty('cause');
  });

  it('throws a TimeoutError with the time limit', async () => {
    const { client } = clientOf(await startScript(silence));
    const call = getLiveness(client, { timeoutMs: 50, retries: 0 });
    await expect(call).rejects.toBeInstanceOf(TimeoutError);
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError', timeoutMs: 50 });
  });

  it('throws a TimeoutError when the body stalls', async () => {
    const { client } = clientOf(
      await startScript((response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{')),
    );
    await expect(getLiveness(client, { timeoutMs: 50, retries: 0 })).rejects.toBeInstanceOf(TimeoutError);
  });
});

describe("the caller's signal", () => {
  it('ends a running call with the reason of the signal, without a retry', async () => {
    const controller = new AbortController();
    const reason = new Error('the page was closed');
    const server = await startScript(() => {
      controller.abort(reason);
    });
    const { client } = clientOf(server);
    await expect(getLiveness(client, { signal: controller.signal })).rejects.toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it('ends the wait before another attempt', async () => {
    const controller = new AbortController();
    const server = await startScript(problem(503, 'service-unavailable', { 'retry-after': '20' }));
    const client = createPlatformClient({
      baseUrl: server.url,
      timing: {
        ...systemTiming,
        sleep: (ms, signal) => {
          const sleep = systemTiming.sleep(ms, signal);
          controller.abort('enough');
          return sleep;
        },
      },
    });
    await expect(getLiveness(client, { signal: controller.signal })).rejects.toBe('enough');
  });

  it('that is already aborted prevents the request', async () => {
    const server = await startScript(alive);
    const { client } = clientOf(server);
    await expect(getLiveness(client, { signal: AbortSignal.abort('no') })).rejects.toBe('no');
    expect(server.requests).toEqual([]);
  });
});

it('two clients share no state', async () => {
  const server = await startScript(alive);
  const first = createPlatformClient({ baseUrl: server.url, headers: { 'X-Client': 'first' } });
  const second = createPlatformClient({ baseUrl: server.url });
  await first.tokens.set({ access_token: 'of-the-first' });
  await getLiveness(second);
  expect(server.requests[0]?.headers).not.toHaveProperty('x-client');
  expect(await second.tokens.get()).toBeNull();
});

function clientOf(server: ScriptedServer): { client: PlatformClient; slept: number[] } {
  const timing = recordedTiming();
  return { client: createPlatformClient({ baseUrl: server.url, timing }), slept: timing.slept };
}
