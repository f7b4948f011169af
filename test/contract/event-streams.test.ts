import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect, test, vi } from 'vitest';
import type { ServerSentEvent } from '../../src/contract/contract-types.js';
import type { Schemas } from '../../generated/platform/operations.js';
import { exampleOf } from '../platform/service/send-example.js';
import { startPlatform } from '../sdk/platform-server.js';
import { urlOf } from '../support/examples.js';
import { recordingFetch } from '../support/recorder.js';

type RunEvent = ServerSentEvent<Schemas['SyncRun']>;

const run: Schemas['SyncRun'] = {
  ...{ id: 'e3c4d5f6-a7b8-4c9d-8e0f-2a3b4c5d6e07', sync_config_id: '6c1f0f0e-8f0e-4a56-9f8b-0d8f2f9f3a10' },
  ...{ status: 'running', error: null, notes: [], requested_by: null },
  progress: { repositories_total: null, repositories_done: 0, repositories_failed: 0, records: 0 },
  ...{ created_at: '2026-03-02T09:15:00.000Z', started_at: null, finished_at: null },
};
const path = urlOf(exampleOf('watchSyncRun'));

/** Serves events as those of a run. */
const serve = async (events: () => AsyncIterable<RunEvent>): Promise<string> => {
  const { url } = await startPlatform({ handlers: { watchSyncRun: () => ({ status: 200, body: events() }) } });
  return `${url}${path}`;
};
const headers = { Authorization: 'Bearer x' };

async function open(url: string): Promise<IncomingMessage> {
  const [response] = (await once(httpRequest(url, { headers }).end(), 'response')) as [IncomingMessage];
  return response;
}

test('Each item is one event with its id, and a header asks proxies to pass it on', async () => {
  const url = await serve(async function* () {
    yield await Promise.resolve({ id: 'a1', data: run });
    yield { id: 'b2', data: { ...run, error: 'Two\nlines' } };
  });
  const response = await recordingFetch('platform')(url, { headers });
  if (response.status !== 200) throw new Error(await response.text());
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  const blocks = (await response.text()).split('\n\n');
  expect(blocks.pop()).toBe('');
  const read = blocks.map((block) => /^id: (.*)\ndata: (.*)$/.exec(block) ?? []);
  expect(read.map(([, id, data]) => [id, JSON.parse(data ?? '')])).toEqual([
    ['a1', run],
    ['b2', { ...run, error: 'Two\nlines' }],
  ]);
});

test('An event that violates the contract ends the connection before it is sent', async () => {
  const url = await serve(async function* () {
    yield await Promise.resolve({ id: 'a1', data: run });
    yield { id: 'b2', data: { ...run, id: 'no uuid' } };
  });
  const response = await fetch(url, { headers });
  let received = '';
  const decoder = new TextDecoder();
  await expect(
    (async () => {
      for await (const chunk of response.body ?? []) received += decoder.decode(chunk);
    })(),
  ).rejects.toThrow();
  expect(received).not.toContain('no uuid');
});

test('Events are produced only as the caller reads', async () => {
  let produced = 0;
  const notes = Array.from({ length: 20 }, (_, index) => `${index} ${'x'.repeat(450)}`);
  const url = await serve(async function* () {
    for (; produced < 100_000; produced++) {
      yield await Promise.resolve({ id: String(produced), data: { ...run, notes } });
    }
  });
  const response = await open(url);
  // It stops when the buffers on the way are full: they hold some megabytes, the stream has a thousand.
  for (let before = -1; before !== produced;) {
    before = produced;
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(produced).toBeLessThan(5000);
  response.destroy();
});

test('When the caller disconnects the iterable is closed', async () => {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const url = await serve(async function* () {
    try {
      for (let turn = 0; ; turn++) yield await Promise.resolve({ id: String(turn), data: run });
    } finally {
      end();
    }
  });
  (await open(url)).destroy();
  await ended;
});

test('A stream without an event for 15 seconds has a heartbeat', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const timeouts = vi.spyOn(globalThis, 'setTimeout');
  /** Resolves when the stream waits for an event, and has done so before this many times. */
  const waits = async (before: number): Promise<void> => {
    for (let turn = 0; timeouts.mock.calls.filter(([, ms]) => ms === 15_000).length <= before; turn++) {
      if (turn === 100_000) throw new Error('The stream does not wait');
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  try {
    let next = (): void => undefined;
    const url = await serve(async function* () {
      yield await Promise.resolve({ id: 'a1', data: run });
      await new Promise<void>((resolve) => (next = resolve));
      yield { id: 'b2', data: run };
      await new Promise<void>((resolve) => (next = resolve));
    });
    const response = await open(url);
    const parts = response.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
    const part = async (): Promise<string> => String((await parts.next()).value);
    expect(await part()).toContain('id: a1');
    await waits(1);
    vi.advanceTimersByTime(15_000);
    expect(await part()).toBe(': heartbeat\n\n');
    await waits(2);
    vi.advanceTimersByTime(14_000);
    next();
    expect(await part()).toContain('id: b2'); // the time begins again
    await waits(3);
    vi.advanceTimersByTime(14_000);
    vi.advanceTimersByTime(1000);
    expect(await part()).toBe(': heartbeat\n\n');
    next();
    expect((await parts.next()).done).toBe(true);
  } finally {
    // All of them: a spy that was restored alone is restored again by the next `restoreAllMocks` of this process, and
    // then puts the fake function back.
    vi.restoreAllMocks();
    vi.useRealTimers();
  }
});
