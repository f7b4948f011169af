import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { LogLine } from '../../../src/compose/runtime/records.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import { allLines, linesOf, runService, type RunningService } from './running-service.js';

const one = 'services: { web: { image: app } }';

/** The lines of a container without end, and how many were asked for. */
function endless(counter: { taken: number; left: boolean }): (backend: Backend) => Backend {
  async function* lines(signal: AbortSignal | undefined): AsyncGenerator<LogLine, void> {
    try {
      while (signal?.aborted !== true) {
        counter.taken++;
        yield { stream: 'stdout', line: 'x'.repeat(1000), time: '2026-01-01T00:00:00.000000000Z' };
        // Now and then others get their turn, as they do when lines come from an engine.
        if (counter.taken % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      counter.left = true;
    }
  }
  return (backend) => ({
    ...backend,
    containers: { ...backend.containers, logs: (_id, { signal } = {}) => Promise.resolve(lines(signal)) },
  });
}

async function openStreams(running: RunningService): Promise<number> {
  const text = await (await running.call('GET', '/metrics')).text();
  return Number(/plumbline_compose_open_streams (\d+)/.exec(text)?.[1]);
}

/** Asks until it is so, at most so often; nothing here takes long, but when it is done is not told. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let asked = 0; asked < 1_000_000; asked++) {
    if (await holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`It has not come about: ${String(holds)}`);
}

test.each(['2016-12-31T23:59:60Z', '2026-01-01 00:00:00z', '2026-01-01T00:00:00+01', '0000-01-01T00:00:00Z'])(
  'output and events since and until %s are those of an instant',
  async (time) => {
    const running = await runService();
    await running.up('p', one);
    running.control.log('p-web', 'stdout', 'hello');
    const at = encodeURIComponent(time);
    for (const path of ['/projects/p/logs', '/containers/p-web/logs']) {
      expect(await allLines(await running.call('GET', `${path}?since=${at}`))).toHaveLength(1);
      expect(await allLines(await running.call('GET', `${path}?until=${at}`))).toEqual([]);
    }
    expect(await allLines(await running.call('GET', `/events?until=${at}`))).toEqual([]);
    await running.stop();
  },
);

describe('the output of a project', () => {
  const two = 'services: { web: { image: app }, db: { image: app } }';

  test('has the lines of all or of the requested services, each with its container', async () => {
    const running = await runService();
    await running.up('p', two);
    running.control.log('p-web', 'stdout', 'hello');
    running.control.log('p-db', 'stderr', 'ready');
    const all = await allLines(await running.call('GET', '/projects/p/logs'));
    expect(all.map(({ service, container, stream, line }) => [service, container, stream, line]).sort()).toEqual([
      ['db', 'p-db', 'stderr', 'ready'],
      ['web', 'p-web', 'stdout', 'hello'],
    ]);
    const some = await allLines(await running.call('GET', '/projects/p/logs?service=db&service=none&tail=1'));
    expect(some.map(({ service }) => service)).toEqual(['db']);
    const later = await allLines(await running.call('GET', '/projects/p/logs?since=2100-01-01T00:00:00Z'));
    expect(later).toEqual([]);
    await running.stop();
  });

  test('sends new lines, and ends when all containers have ended', async () => {
    const running = await runService();
    await running.up('p', two);
    const response = await running.call('GET', '/projects/p/logs?follow=true');
    running.control.log('p-web', 'stdout', 'one');
    running.control.exit('p-web', 0);
    running.control.log('p-db', 'stdout', 'two');
    running.control.exit('p-db', 0);
    expect((await allLines(response)).map(({ line }) => line).sort()).toEqual(['one', 'two']);
    await running.stop();
  });

  test('is 404 for a project that does not exist', async () => {
    const running = await runService();
    expect(await running.expect(404, 'GET', '/projects/none/logs')).toMatchObject({ case: 'projectNotFound' });
    await running.stop();
  });
});

describe('the usage of several containers', () => {
  const ofProject = (name: string): string => `/stats?label=com.docker.compose.project=${name}`;

  test('has a sample of each running container with the label', async () => {
    const running = await runService();
    await running.up('p', 'services: { web: { image: app }, db: { image: app }, job: { image: app } }');
    await running.up('q', 'services: { web: { image: app } }');
    running.control.exit('p-job', 0);
    const idOf = async (name: string): Promise<string> => (await running.backend.containers.inspect(name)).id;
    const idsFrom = async (path: string): Promise<unknown[]> =>
      (await allLines(await running.call('GET', path))).map(({ id }) => id);
    expect(new Set(await idsFrom(ofProject('p')))).toEqual(new Set([await idOf('p-web'), await idOf('p-db')]));
    expect(await idsFrom(ofProject('none'))).toEqual([]);
    expect(await idsFrom(`${ofProject('other')}&label=com.docker.compose.project=p`)).toEqual([]);
    expect(await idsFrom('/stats')).toHaveLength(3);
    await running.stop();
  });

  test.each(['stop', 'remove'] as const)('leaves out a container when a %s precedes its sample', async (end) => {
    const running = await runService({
      wrap: (backend) => ({
        ...backend,
        containers: {
          ...backend.containers,
          stats: async (id, options) => {
            if ((await backend.containers.inspect(id)).name === 'p-db')
              await backend.containers[end](id, { force: true });
            return backend.containers.stats(id, options);
          },
        },
      }),
    });
    await running.up('p', 'services: { web: { image: app }, db: { image: app } }');
    const web = await running.backend.containers.inspect('p-web');
    expect(await allLines(await running.call('GET', ofProject('p')))).toMatchObject([{ id: web.id }]);
    await running.stop();
  });
});

describe('a stream', () => {
  test('ends without an error when its container is removed', async () => {
    const running = await runService();
    await running.up('p', one);
    const response = await running.call('GET', '/containers/p-web/logs?follow=true');
    running.control.log('p-web', 'stdout', 'last');
    await running.expect(204, 'DELETE', '/containers/p-web?force=true');
    expect(await allLines(response)).toMatchObject([{ line: 'last' }]);
    await running.stop();
  });

  test('ends without an error when its container ends, also for stats', async () => {
    const running = await runService();
    await running.up('p', one);
    const logs = await running.call('GET', '/containers/p-web/logs?follow=true');
    const stats = await running.call('GET', '/containers/p-web/stats?interval_seconds=0.5');
    running.control.exit('p-web', 0);
    expect(await allLines(logs)).toEqual([]);
    expect(await allLines(stats)).toHaveLength(1);
    await running.stop();
  });

  test('closes its connection to the engine when its reader leaves', async () => {
    const counter = { taken: 0, left: false };
    const running = await runService({ wrap: endless(counter) });
    await running.up('p', one);
    const lines = linesOf(await running.call('GET', '/containers/p-web/logs?follow=true'));
    await lines.next();
    await lines.return();
    await until(() => counter.left);
    await until(async () => (await openStreams(running)) === 0);
    expect(running.log.join()).not.toContain('a stream failed');
    await running.stop();
  });

  test.each(['logs?follow=true', 'logs/watch'])(
    'reads no more from the engine than its reader reads: %s',
    async (path) => {
      const counter = { taken: 0, left: false };
      const running = await runService({ wrap: endless(counter) });
      await running.up('p', one);
      const sent = request(`${running.url}/containers/p-web/${path}`).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.pause();
      // The buffers of both ends fill, and then nothing moves, however much else the server does meanwhile.
      let before = -1;
      await until(async () => {
        const still = counter.taken === before;
        before = counter.taken;
        for (let turn = 0; turn < 20; turn++) await running.expect(200, 'GET', '/containers');
        return still && counter.taken === before;
      });
      expect(counter.taken).toBeGreaterThan(10);
      // A kibibyte each: what waits is what the sockets hold, a few mebibytes.
      expect(counter.taken).toBeLessThan(20_000);
      sent.destroy();
      await until(() => counter.left);
      await running.stop();
    },
  );
});

test('A hundred followers of a log get all output across a restart, and end when the server stops', async () => {
  const running = await runService();
  await running.up('p', one);
  const clients = Array.from({ length: 100 }, async () => {
    const heard: unknown[] = [];
    // A follower follows a run: when that ends, it asks for the next one.
    for (const run of ['first', 'second']) {
      const response = await running.call('GET', '/containers/p-web/logs?follow=true');
      for await (const { line } of linesOf(response)) {
        heard.push(line);
        if (line === 'second') break;
      }
      if (run === 'first') await restarted;
    }
    return heard;
  });
  let tell: () => void = () => undefined;
  const restarted = new Promise<void>((resolve) => (tell = resolve));
  await until(async () => (await openStreams(running)) === 100);
  running.control.log('p-web', 'stdout', 'first');
  await running.expect(200, 'POST', '/projects/p/restart', { timeout_seconds: 1 });
  tell();
  running.control.log('p-web', 'stdout', 'second');
  for (const heard of await Promise.all(clients)) expect(heard).toEqual(['first', 'first', 'second']);
  await until(async () => (await openStreams(running)) === 0);

  const open = await Promise.all(
    Array.from({ length: 100 }, () => running.call('GET', '/containers/p-web/logs?follow=true&tail=0')),
  );
  const events = await running.call('GET', '/events');
  await running.stop();
  for (const response of [...open, events]) expect(await allLines(response)).toEqual([]);
}, 120_000);

test('A build continues if its reader stalls, and reports how many lines were lost', async () => {
  const lines = 5000;
  const running = await runService({
    allow: ['build'],
    wrap: (backend) => ({
      ...backend,
      images: {
        ...backend.images,
        async build(spec, options) {
          const inner = await backend.images.build(spec, options);
          return (async function* () {
            for (let at = 0; at < lines; at++) yield { type: 'log' as const, line: `${at} ${'x'.repeat(10_000)}` };
            yield* inner;
          })();
        },
      },
    }),
  });
  await running.expect(201, 'POST', '/projects/p', 'services: { web: { build: . } }');
  const sent = request(`${running.url}/projects/p/build`, { method: 'POST' }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.pause();
  // It is done although nobody has read a line of it.
  await until(async () => {
    const { items } = (await running.expect(200, 'GET', '/images')) as { items: { tags: string[] }[] };
    return items.some(({ tags }) => tags.includes('docker.io/library/p-web:latest'));
  });
  const text: string[] = [];
  for await (const chunk of response) text.push(String(chunk));
  const frames = text
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; message?: string });
  const logged = frames.filter(({ type }) => type === 'log').length;
  const lost = frames.flatMap(({ message }) => Number(/^(\d+) lines were dropped/.exec(message ?? '')?.[1] ?? 0));
  // One more line is the mock's own.
  expect(logged + lost.reduce((sum, each) => sum + each, 0)).toBe(lines + 1);
  expect(logged).toBeLessThan(lines);
  expect(frames.at(-1)).toEqual({ type: 'done', services: ['web'] });
  await running.stop();
});
