import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { createApiClient } from '../../sdk/src/client.js';
import { events } from '../../sdk/src/formats.js';
import {
  ConnectionError,
  PlumblineError,
  TimeoutError,
  UnexpectedReplyError,
  unwrap,
  type Success,
} from '../../sdk/src/index.js';
import type { CallOptions, Operation } from '../../sdk/src/operation.js';
import { hangUp, problem, recordedTiming, startScript, type ScriptedServer } from './scripted-server.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const watch: Operation = { method: 'get', path: '/events', statuses: [200, 204], format: events };

type Answer = Parameters<typeof startScript>[0];

const sse =
  (text: string, then: 'end' | 'cut' = 'end'): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    if (then === 'end') response.end(text);
    else response.write(text, () => response.destroy());
  };
const over: Answer = (response) => response.writeHead(204).end();
const event = (id: string): string => `id: ${id}\ndata: {"state":"${id}"}\n\n`;

async function open(
  { url }: ScriptedServer,
  options: CallOptions = {},
  timing = recordedTiming(),
): Promise<AsyncIterable<unknown>> {
  const client = createApiClient('test', '1.0.0', { baseUrl: url, timing, ignoreApiVersion: true }, null);
  return unwrap(await client.call<Success<200, AsyncIterable<unknown>>>(watch, options));
}

async function all(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const received: unknown[] = [];
  for await (const each of stream) received.push(each);
  return received;
}

const lastIds = ({ requests }: ScriptedServer): unknown[] => requests.map(({ headers }) => headers['last-event-id']);

it('Events are read in any chunks, without comments and other fields', async () => {
  const text = `: heartbeat\n\nretry: 10\nevent: message\nid: 1\ndata: {"word":\ndata: "grüße"}\n\n${event('2')}`;
  const server = await startScript((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const byte of Buffer.from(text)) response.write(Buffer.of(byte)); // characters are cut as well
    response.end();
  }, over);
  expect(await all(await open(server))).toEqual([{ word: 'grüße' }, { state: '2' }]);
});

it('A lost connection is resumed after the latest whole event, until there are no more', async () => {
  const server = await startScript(
    sse(`${event('a')}${event('b')}id: c\ndata: {"sta`, 'cut'),
    sse(''),
    sse(event('c')),
    over,
  );
  const timing = recordedTiming();
  expect(await all(await open(server, {}, timing))).toEqual([{ state: 'a' }, { state: 'b' }, { state: 'c' }]);
  expect(lastIds(server)).toEqual([undefined, 'b', 'b', 'c']);
  expect(timing.slept).toEqual([1000, 2000, 4000]);
});

it('The pause doubles up to 8 seconds while connections are short, and starts again after a longer one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const server = await startScript(...Array.from('abcdef', (id) => sse(event(id))), over);
  const timing = { ...recordedTiming(), random: () => 0.5 };
  for await (const each of await open(server, {}, timing)) {
    if (JSON.stringify(each) === '{"state":"e"}') vi.setSystemTime(Date.now() + 5000);
  }
  // Half of each pause is random.
  expect(timing.slept).toEqual([750, 1500, 3000, 6000, 750, 750]);
});

it('The pause is the one that the server asks for, from 0.1 to 30 seconds', async () => {
  const asked = ['0', '10000', '9999999999', 'soon'].map((value) => sse(`retry: ${value}\n\n`));
  const server = await startScript(...asked, over);
  const timing = recordedTiming();
  await all(await open(server, {}, timing));
  expect(timing.slept).toEqual([100, 10_000, 30_000, 30_000]);
});

it('A connection that is silent for three heartbeats is resumed after the latest event', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const timers = vi.spyOn(globalThis, 'setTimeout');
  let connection: ServerResponse | undefined;
  let closed: Promise<unknown> = Promise.resolve();
  const silent: Answer = (response) => {
    connection = response;
    closed = once(response, 'close');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event('a'));
  };
  const server = await startScript(silent, sse(event('b')), over);
  const timing = recordedTiming();
  const received = (await open(server, {}, timing))[Symbol.asyncIterator]();
  expect(await received.next()).toMatchObject({ value: { state: 'a' } });
  const next = received.next();
  // Heartbeats keep it open.
  const before = timers.mock.calls.length;
  vi.advanceTimersByTime(44_000);
  connection?.write(': heartbeat\n\n');
  while (timers.mock.calls.length === before) await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(44_000);
  expect(timing.slept).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(await next).toMatchObject({ value: { state: 'b' } });
  await closed;
  expect(lastIds(server)).toEqual([undefined, 'a']);
  expect((await received.next()).done).toBe(true);
});

it('A problem on the way is thrown', async () => {
  const server = await startScript(sse(event('a')), problem(404, 'gone'));
  await expect(open(server).then(all)).rejects.toThrow(PlumblineError);
});

it('A server that closes each connection at once is given up', async () => {
  const server = await startScript(sse(event('a')), sse(''));
  await expect(open(server).then(all)).rejects.toThrow(ConnectionError);
  expect(server.requests).toHaveLength(6);
});

it('A server that is gone is given up', async () => {
  const server = await startScript(sse(event('a')), hangUp);
  await expect(open(server, { retries: 0 }).then(all)).rejects.toThrow(ConnectionError);
});

it('Data that is not JSON is an error', async () => {
  const server = await startScript(sse('data: {\n\n'));
  await expect(open(server).then(all)).rejects.toThrow(UnexpectedReplyError);
});

it('The request ends when the loop is left, and when it is aborted', async () => {
  let closed = (): void => undefined;
  const forever: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event('a'));
    response.once('close', () => {
      closed();
    });
  };
  const server = await startScript(forever);
  const end = new Promise<void>((resolve) => (closed = resolve));
  for await (const each of await open(server)) {
    expect(each).toEqual({ state: 'a' });
    break;
  }
  await end;
  const stop = new AbortController();
  const reason = new Error('enough');
  await expect(
    (async () => {
      for await (const _each of await open(server, { signal: stop.signal })) stop.abort(reason);
    })(),
  ).rejects.toBe(reason);
  expect(server.requests).toHaveLength(2);
});

it('A server that accepts connections and never answers ends the stream with a TimeoutError', async () => {
  const server = await startScript(sse(event('a')), () => undefined);
  await expect(all(await open(server, { timeoutMs: 200 }))).rejects.toBeInstanceOf(TimeoutError);
  expect(lastIds(server).slice(0, 2)).toEqual([undefined, 'a']);
});
