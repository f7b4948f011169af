import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allLines, linesOf, runService, shop, type RunningService } from './running-service.js';

let running: RunningService;
beforeAll(async () => {
  running = await runService({
    programs: ({ kind, command }) => {
      if (kind !== 'exec') return undefined;
      return ({ write, stdin }) => echo(command, write, stdin);
    },
  });
  await running.up('shop', shop);
});
afterAll(() => running.stop());

async function echo(
  command: readonly string[],
  write: (stream: 'stdout' | 'stderr', text: string) => void,
  stdin: AsyncIterable<Uint8Array>,
): Promise<number> {
  write('stdout', `${command.join(' ')}\n`);
  for await (const chunk of stdin) write('stderr', Buffer.from(chunk).toString('utf8'));
  return 3;
}

describe('the list of containers', () => {
  const names = async (query: string): Promise<unknown> => {
    const { items } = (await running.expect(200, 'GET', `/containers${query}`)) as { items: { name: string }[] };
    return items.map(({ name }) => name);
  };

  test('has all containers, the oldest first', async () => {
    expect(await names('')).toEqual(['shop-db', 'shop-web']);
  });

  test.each([
    ['?name=shop-w', ['shop-web']],
    ['?status=running', ['shop-db', 'shop-web']],
    ['?status=exited&status=stopped', []],
    ['?label=com.docker.compose.service%3Ddb', ['shop-db']],
    ['?label=com.docker.compose.service', ['shop-db', 'shop-web']],
    ['?label=com.docker.compose.service%3Ddb&label=no-such-label', []],
    ['?label=com.docker.compose.service%3Ddb&label=com.docker.compose.service', ['shop-db']],
    ['?label=com.docker.compose.service&label=com.docker.compose.service%3Ddb', ['shop-db']],
    ['?label=com.docker.compose.service%3Ddb&label=com.docker.compose.service%3Ddb', ['shop-db']],
    ['?label=com.docker.compose.service%3Dweb&label=com.docker.compose.service%3Ddb', []],
  ])('with %s has %j', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test('a container is found by its name, its id, or a prefix of its id', async () => {
    const byName = (await running.expect(200, 'GET', '/containers/shop-web')) as { id: string };
    expect(byName).toMatchObject({ name: 'shop-web', status: 'running', project: 'shop', service: 'web' });
    expect(await running.expect(200, 'GET', `/containers/${byName.id}`)).toEqual(byName);
    expect(await running.expect(200, 'GET', `/containers/${byName.id.slice(0, 12)}`)).toEqual(byName);
  });
});

test('A container is not created over the API: 501, which names compose up', async () => {
  expect(await running.expect(501, 'POST', '/containers/create')).toMatchObject({
    error: 'RuntimeError',
    case: 'notSupported',
    operation: 'createContainer',
    conformer: 'mock',
    message: expect.stringContaining('`compose up`'),
  });
});

describe('starting and stopping', () => {
  test('a running container cannot be started or removed: 409 with its status', async () => {
    for (const [method, path] of [
      ['POST', '/containers/shop-web/start'],
      ['DELETE', '/containers/shop-web'],
    ] as const) {
      expect(await running.expect(409, method, path)).toMatchObject({
        error: 'RuntimeError',
        case: 'invalidState',
        id: 'shop-web',
        expected: 'stopped',
        actual: 'running',
      });
    }
  });

  test('stop, start, restart, kill and wait change the status as documented', async () => {
    const status = async (): Promise<unknown> =>
      ((await running.expect(200, 'GET', '/containers/shop-web')) as { status: string }).status;
    await running.expect(204, 'POST', '/containers/shop-web/stop', { timeout_seconds: 5 });
    expect(await status()).toBe('stopped');
    expect(await running.expect(409, 'POST', '/containers/shop-web/stop')).toMatchObject({ actual: 'stopped' });
    expect(await running.expect(409, 'POST', '/containers/shop-web/kill')).toMatchObject({ actual: 'stopped' });
    await running.expect(204, 'POST', '/containers/shop-web/start');
    expect(await status()).toBe('running');
    await running.expect(204, 'POST', '/containers/shop-web/restart');
    expect(await status()).toBe('running');
    await running.expect(204, 'POST', '/containers/shop-web/kill', { signal: 'KILL' });
    expect(await status()).toBe('exited');
    expect(await running.expect(200, 'POST', '/containers/shop-web/wait')).toMatchObject({ exit_code: 137 });
    await running.expect(204, 'POST', '/containers/shop-web/start');
  });

  test('a pause suspends a running container until it is unpaused, and repeated calls change nothing', async () => {
    const condition = async (): Promise<unknown> => (await running.backend.containers.inspect('shop-web')).condition;
    for (const expected of ['paused', 'paused']) {
      await running.expect(204, 'POST', '/containers/shop-web/pause');
      expect(await condition()).toBe(expected);
    }
    for (const expected of [undefined, undefined]) {
      await running.expect(204, 'POST', '/containers/shop-web/unpause');
      expect(await condition()).toBe(expected);
    }
    await running.expect(204, 'POST', '/containers/shop-web/stop');
    for (const operation of ['pause', 'unpause']) {
      expect(await running.expect(409, 'POST', `/containers/shop-web/${operation}`)).toMatchObject({
        case: 'invalidState',
        expected: 'running',
        actual: 'stopped',
      });
    }
    await running.expect(204, 'POST', '/containers/shop-web/start');
  });

  test('a signal must be a name or a number', async () => {
    await running.expect(204, 'POST', '/containers/shop-web/kill', { signal: 18 });
    expect(await running.expect(422, 'POST', '/containers/shop-web/kill', { signal: 'SIGNONE' })).toMatchObject({
      violations: [{ path: '/body/signal' }],
    });
  });

  test('a wait that times out is 408, with its length', async () => {
    expect(await running.expect(408, 'POST', '/containers/shop-web/wait?timeout_seconds=0')).toMatchObject({
      case: 'timeout',
      seconds: 0,
    });
  });

  test('a removal with force skips the graceful stop', async () => {
    await running.up('gone', 'services: { a: { image: app } }');
    await running.expect(204, 'DELETE', '/containers/gone-a?force=true&volumes=true');
    await running.expect(404, 'GET', '/containers/gone-a');
  });
});

describe('output', () => {
  test('lines have their stream and are in order, and tail returns the newest', async () => {
    running.control.log('shop-db', 'stdout', 'one');
    running.control.log('shop-db', 'stderr', 'two');
    const response = await running.call('GET', '/containers/shop-db/logs?tail=2');
    expect(await allLines(response)).toMatchObject([
      { stream: 'stdout', line: 'one' },
      { stream: 'stderr', line: 'two' },
    ]);
    expect(await allLines(await running.call('GET', '/containers/shop-db/logs?tail=1'))).toHaveLength(1);
    expect(await allLines(await running.call('GET', '/containers/shop-db/logs?tail=all'))).toHaveLength(2);
    const late = await running.call(
      'GET',
      '/containers/shop-db/logs?since=2099-01-01T00:00:00Z&until=2099-01-02T00:00:00Z',
    );
    expect(await allLines(late)).toEqual([]);
  });

  test('a followed stream sends new lines', async () => {
    const lines = linesOf(await running.call('GET', '/containers/shop-db/logs?follow=true&tail=0'));
    running.control.log('shop-db', 'stdout', 'three');
    expect((await lines.next()).value).toMatchObject({ line: 'three' });
    await lines.return();
  });

  test('stats are one sample, or a stream of samples', async () => {
    running.control.setStats('shop-db', { memoryUsageBytes: 42 });
    const one = await allLines(await running.call('GET', '/containers/shop-db/stats?stream=false'));
    expect(one).toMatchObject([{ memory_usage_bytes: 42, networks: [] }]);
    const many = linesOf(await running.call('GET', '/containers/shop-db/stats?interval_seconds=0.5'));
    expect((await many.next()).value).toMatchObject({ memory_usage_bytes: 42 });
    running.control.setStats('shop-db', {
      memoryUsageBytes: 43,
      networks: [{ interface: 'eth0', receivedBytes: 1, transmittedBytes: 2 }],
    });
    expect((await many.next()).value).toMatchObject({
      memory_usage_bytes: 43,
      networks: [{ interface: 'eth0', received_bytes: 1, transmitted_bytes: 2 }],
    });
    await many.return();
  });

  test('exec streams its output and ends with the exit code', async () => {
    const body = {
      command: ['echo', 'grüß'],
      stdin: 'in',
      environment: { A: '1' },
      user: 'root',
      working_directory: '/',
    };
    const lines = await allLines(await running.call('POST', '/containers/shop-db/exec', body));
    expect(lines).toEqual([
      { type: 'output', stream: 'stdout', data: 'echo grüß\n' },
      { type: 'output', stream: 'stderr', data: 'in' },
      { type: 'exit', exit_code: 3 },
    ]);
  });

  test('exec transfers any bytes as base64 in both directions', async () => {
    const body = { command: ['cat'], stdin: Buffer.from('in').toString('base64'), encoding: 'base64' };
    const lines = await allLines(await running.call('POST', '/containers/shop-db/exec', body));
    expect(lines[1]).toEqual({ type: 'output', stream: 'stderr', data: Buffer.from('in').toString('base64') });
  });

  test('top lists the processes', async () => {
    expect(await running.expect(200, 'GET', '/containers/shop-db/top')).toMatchObject({
      titles: ['USER', 'PID', 'COMMAND'],
      processes: [['root', '1', '']],
    });
  });

  test('a container that does not run has neither stats nor processes', async () => {
    await running.up('still', 'services: { a: { image: app } }');
    await running.expect(204, 'POST', '/containers/still-a/stop');
    for (const [method, path, body] of [
      ['GET', '/containers/still-a/stats', undefined],
      ['GET', '/containers/still-a/top', undefined],
      ['POST', '/containers/still-a/exec', { command: ['x'] }],
    ] as const) {
      expect(await running.expect(409, method, path, body)).toMatchObject({ expected: 'running', actual: 'stopped' });
    }
    await running.expect(204, 'DELETE', '/containers/still-a');
  });
});

test('Events report the containers with the requested labels', async () => {
  const query = 'label=com.docker.compose.project%3Dshop&since=2020-01-01T00:00:00Z';
  const events = linesOf(await running.call('GET', `/events?${query}`));
  expect((await events.next()).value).toMatchObject({ type: 'created', name: 'shop-db' });
  await events.return();
  const live = linesOf(await running.call('GET', '/events'));
  running.control.runOutOfMemory('shop-db');
  expect((await live.next()).value).toMatchObject({ type: 'oom_killed', name: 'shop-db' });
  await live.return();
});

test.each([
  [['=web', ''], ['shop-web']],
  [['=web', '=db'], []],
])('Events with the label filters %j report only containers that have all: %j', async (filters, expected) => {
  const labels = filters.map((filter) => `label=com.docker.compose.service${encodeURIComponent(filter)}`).join('&');
  const past = `since=2020-01-01T00:00:00Z&until=${new Date().toISOString()}`;
  const events = await allLines(await running.call('GET', `/events?${labels}&${past}`));
  expect([...new Set(events.map(({ name }) => name))]).toEqual(expected);
});

test('A missing object is 404, and the problem names it', async () => {
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['DELETE', '', undefined],
    ['POST', '/start', undefined],
    ['POST', '/stop', undefined],
    ['POST', '/restart', undefined],
    ['POST', '/kill', undefined],
    ['POST', '/pause', undefined],
    ['POST', '/unpause', undefined],
    ['POST', '/wait', undefined],
    ['GET', '/logs', undefined],
    ['GET', '/stats', undefined],
    ['POST', '/exec', { command: ['x'] }],
    ['GET', '/top', undefined],
  ] as const) {
    expect(await running.expect(404, method, `/containers/nobody${path}`, body)).toMatchObject({
      error: 'RuntimeError',
      case: 'notFound',
      id: 'nobody',
    });
  }
});
