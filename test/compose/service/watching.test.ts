/** Output and events as Server-Sent Events, which a caller can resume. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createComposeClient,
  watchContainerLogs,
  watchEvents,
  watchProjectLogs,
  type ComposeClient,
} from '../../../sdk/src/compose.js';
import { unwrap, type Failure, type Success } from '../../../sdk/src/index.js';
import type { Fetch } from '../../../sdk/src/transport.js';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { recordedTiming } from '../../sdk/scripted-server.js';
import { cuttingFetch } from '../../support/cutting-fetch.js';
import { recordingFetch } from '../../support/recorder.js';
import { runService, type RunningService } from './running-service.js';

const two = 'services: { web: { image: app }, db: { image: app } }';

let now: Date;
let running: RunningService;
beforeEach(async () => {
  now = new Date('2026-03-02T09:15:00.000Z');
  running = await runService({ clock: { ...systemClock, now: () => now } });
  await running.up('p', two);
});
afterEach(() => running.stop());

const clientOf = (send: Fetch = recordingFetch('compose')): ComposeClient =>
  createComposeClient({ address: running.url.replace('http:', 'tcp:'), fetch: send, timing: recordedTiming() });

/** A client that loses each connection after one event. */
function losing(): { compose: ComposeClient; opened: (string | null)[] } {
  const opened: (string | null)[] = [];
  return { compose: clientOf(cuttingFetch(recordingFetch('compose'), opened)), opened };
}

async function take<Item>(items: AsyncIterator<Item>, count: number): Promise<Item[]> {
  const taken: Item[] = [];
  while (taken.length < count) {
    const next = await items.next();
    if (next.done === true) throw new Error(`the stream has ended after ${taken.length} items`);
    taken.push(next.value);
  }
  return taken;
}

async function iteratorOf<Item>(
  reply: Promise<Success<200, AsyncIterable<Item>> | Success<204, undefined> | Failure>,
): Promise<AsyncIterator<Item>> {
  const items = unwrap(await reply);
  if (items === undefined) throw new Error('there is nothing to watch');
  return items[Symbol.asyncIterator]();
}

async function allOf<Item>(items: AsyncIterator<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for (let next = await items.next(); next.done !== true; next = await items.next()) all.push(next.value);
  return all;
}

function print(container: string, ...lines: string[]): void {
  for (const line of lines) running.control.log(container, 'stdout', line);
}

const eventsOf = async (response: Response): Promise<string[][]> =>
  [...(await response.text()).matchAll(/^id: (.*)\ndata: (.*)$/gm)].map(([, id = '', data = '']) => [id, data]);

const call = (path: string, id?: string, method = 'GET'): Promise<Response> =>
  running.call(method, path, undefined, { headers: id === undefined ? {} : { 'Last-Event-ID': id } });

const openStreams = async (): Promise<string | undefined> =>
  /plumbline_compose_open_streams (\d+)/.exec(await (await running.call('GET', '/metrics')).text())?.[1];

describe('the output of a container', () => {
  const params = { id: 'p-web' };

  it('is sent whole when each connection is lost after one line, also of equal times', async () => {
    const { compose, opened } = losing();
    print('p-web', 'one', 'two', 'two');
    const lines = await iteratorOf(watchContainerLogs(compose, { params }));
    const first = await take(lines, 3);
    print('p-web', 'three');
    now = new Date(now.getTime() + 1);
    print('p-web', 'four');
    running.control.exit('p-web', 0);
    const later = await allOf(lines);
    expect([...first, ...later].map(({ line }) => line)).toEqual(['one', 'two', 'two', 'three', 'four']);
    expect(opened).toEqual([null, ...Array<unknown>(4).fill(expect.stringMatching(/^\d+\.\d$/))]);
  });

  it('begins with the newest lines, and resumes after the latest one', async () => {
    print('p-web', 'one', 'two');
    now = new Date(now.getTime() + 1);
    print('p-web', 'three', 'four');
    running.control.exit('p-web', 0);
    const [[id = '', data = ''] = []] = await eventsOf(await call('/containers/p-web/logs/watch?tail=3'));
    expect(JSON.parse(data)).toMatchObject({ line: 'two' });
    print('p-web', 'five', 'six');
    const rest = await eventsOf(await call('/containers/p-web/logs/watch?tail=1', id));
    // Two lines have the time of the latest one, so the engine's first is taken for it.
    expect(rest.map(([, each = '']) => (JSON.parse(each) as { line: string }).line)).toEqual([
      ...['two', 'three', 'four', 'five', 'six'],
    ]);
    expect(await eventsOf(await call('/containers/p-web/logs/watch?since=2100-01-01T00:00:00Z'))).toEqual([]);
  });

  it('is over when the container does not run and its last line was received', async () => {
    print('p-web', 'one', 'two');
    running.control.exit('p-web', 0);
    const events = await eventsOf(await call('/containers/p-web/logs/watch'));
    expect((await call('/containers/p-web/logs/watch', events.at(-1)?.[0])).status).toBe(204);
    expect(await eventsOf(await call('/containers/p-web/logs/watch', events.at(0)?.[0]))).toEqual(events.slice(1));
    expect(await eventsOf(await call('/containers/p-web/logs/watch', 'unknown'))).toEqual(events);
    expect((await call('/containers/p-web/logs/watch?tail=0')).status).toBe(204);
  });

  it('is 404 without the container, and when it is removed meanwhile', async () => {
    expect(await running.expect(404, 'GET', '/containers/none/logs/watch')).toMatchObject({ case: 'notFound' });
    const lines = await iteratorOf(watchContainerLogs(clientOf(), { params }));
    print('p-web', 'last');
    await take(lines, 1);
    running.control.vanish('p-web');
    await expect(lines.next()).rejects.toMatchObject({ status: 404 });
  });
});

describe('the output of a project', () => {
  const params = { name: 'p' };

  it('is sent whole when each connection is lost after one line, also of equal times', async () => {
    const { compose, opened } = losing();
    print('p-web', 'web 1', 'web 2');
    print('p-db', 'db 1', 'db 2');
    const lines = await iteratorOf(watchProjectLogs(compose, { params }));
    const first = await take(lines, 4);
    print('p-db', 'db 3');
    print('p-web', 'web 3');
    const next = await take(lines, 2);
    running.control.exit('p-web', 0);
    now = new Date(now.getTime() + 1);
    print('p-db', 'db 4');
    running.control.exit('p-db', 0);
    const all = [...first, ...next, ...(await allOf(lines))];
    const of = (name: string): string[] => all.filter(({ service }) => service === name).map(({ line }) => line);
    expect([of('web'), of('db')]).toEqual([
      ['web 1', 'web 2', 'web 3'],
      ['db 1', 'db 2', 'db 3', 'db 4'],
    ]);
    expect(opened.filter((id) => id !== null)).toHaveLength(opened.length - 1);
  });

  it('is only that of the wanted services, with containers that are started later', async () => {
    await running.expect(204, 'POST', '/containers/p-web/stop');
    const lines = await iteratorOf(watchProjectLogs(clientOf(), { params, query: { service: ['web', 'db'] } }));
    print('p-db', 'db');
    await take(lines, 1);
    await running.expect(204, 'POST', '/containers/p-web/start');
    now = new Date(now.getTime() + 1);
    print('p-web', 'again');
    expect(await take(lines, 1)).toMatchObject([{ service: 'web', line: 'again' }]);
    await lines.return?.();
    const some = await iteratorOf(watchProjectLogs(clientOf(), { params, query: { service: ['web'], tail: '1' } }));
    expect(await take(some, 1)).toMatchObject([{ service: 'web', line: 'again' }]);
    await some.return?.();
  });

  it('is over when nothing runs and all lines were received', async () => {
    expect(await running.expect(404, 'GET', '/projects/none/logs/watch')).toMatchObject({ case: 'projectNotFound' });
    print('p-web', 'web');
    print('p-db', 'db');
    running.control.exit('p-web', 0);
    running.control.exit('p-db', 0);
    const events = await eventsOf(await call('/projects/p/logs/watch'));
    expect(events).toHaveLength(2);
    expect(await eventsOf(await call('/projects/p/logs/watch', events[0]?.[0]))).toMatchObject([
      [events[1]?.[0], events[1]?.[1]],
    ]);
    expect((await call('/projects/p/logs/watch', events[1]?.[0])).status).toBe(204);
  });
});

describe('events', () => {
  it('are all sent when each connection is lost after one event, also of equal times', async () => {
    const { compose, opened } = losing();
    const label = ['com.docker.compose.service=web'];
    const since = now.toISOString();
    const events = await iteratorOf(watchEvents(compose, { query: { label, since } }));
    const first = await take(events, 2);
    await running.expect(204, 'POST', '/containers/p-web/stop');
    now = new Date(now.getTime() + 1);
    await running.expect(204, 'DELETE', '/containers/p-db?force=true');
    await running.expect(204, 'DELETE', '/containers/p-web');
    const later = await take(events, 2);
    await events.return?.();
    const types = [...first, ...later].map(({ type }) => type);
    expect(types).toEqual(['created', 'started', 'stopped', 'removed']);
    expect(opened.filter((id) => id !== null)).toHaveLength(3);
  });

  it('end at a time, after which there are none', async () => {
    const until = now.toISOString();
    now = new Date(now.getTime() + 1000);
    const path = `/events/watch?since=2026-03-02T09:00:00Z&until=${until}`;
    const events = await eventsOf(await call(path));
    expect(events.length).toBeGreaterThan(3);
    expect(await eventsOf(await call(path, events[1]?.[0]))).toEqual(events.slice(2));
    expect((await call(path, events.at(-1)?.[0])).status).toBe(204);
    expect((await call(`/events/watch?until=${until}`)).status).toBe(204);
    await running.expect(422, 'GET', '/events/watch?until=soon');
  });
});

describe.each(['/events/watch', '/containers/p-web/logs/watch', '/projects/p/logs/watch'])('%s', (path) => {
  it('frees the engine when its reader leaves, and for HEAD', async () => {
    const leave = new AbortController();
    const { status } = await running.call('GET', path, undefined, { signal: leave.signal });
    expect([status, await openStreams()]).toEqual([200, '1']);
    leave.abort();
    await expect.poll(openStreams).toBe('0');
    expect((await call(path, undefined, 'HEAD')).status).toBe(200);
    expect(await openStreams()).toBe('0');
    expect(running.log.join()).not.toContain('a stream failed');
  });

  it('ends when the server stops', async () => {
    const response = await running.call('GET', path);
    await running.stop();
    expect(await eventsOf(response)).toEqual([]);
    running = await runService();
  });

  it('is 406 for a caller that accepts no events, and 422 for a position that is too long', async () => {
    const headers = { Accept: 'application/x-ndjson' };
    expect((await running.call('GET', path, undefined, { headers })).status).toBe(406);
    expect((await call(path, 'x'.repeat(9001))).status).toBe(422);
  });
});
