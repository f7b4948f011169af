/** Clients that open a stream and read nothing of it: what they hold is bounded, and they are disconnected. */
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RuntimeEvent, StatsSample } from '../../../src/compose/runtime/records.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import { closeStalled } from '../../../src/contract/connection-limits.js';
import { runService } from './running-service.js';

const clients = 200;

/** What the service takes from the engine. */
class Taken {
  items = 0;
  readonly #open = new Set<object>();

  get open(): number {
    return this.#open.size;
  }

  /** Items without end, as fast as they are read. */
  async *endless<Item>(item: Item, signal: AbortSignal | undefined): AsyncGenerator<Item, void> {
    const stream = {};
    this.#open.add(stream);
    try {
      while (signal?.aborted !== true) {
        yield item;
        if (++this.items % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      this.#open.delete(stream);
    }
  }
}

const text = 'x'.repeat(50_000);
const event: RuntimeEvent = {
  type: 'started',
  id: 'a',
  name: 'p-web',
  time: '2026-01-01T00:00:00.000000000Z',
  labels: { text },
};
const sample: StatsSample = {
  id: 'a',
  sampledAt: '2026-01-01T00:00:00.000Z',
  cpuUsageMicroseconds: 1,
  memoryUsageBytes: 1,
  memoryLimitBytes: 1,
  processes: 1,
  blockReadBytes: 0,
  blockWriteBytes: 0,
  networks: [{ interface: text, receivedBytes: 0, transmittedBytes: 0 }],
};

const streams: Readonly<Record<string, (backend: Backend, taken: Taken) => Backend>> = {
  '/containers/p-web/stats': (backend, taken) => ({
    ...backend,
    containers: {
      ...backend.containers,
      followStats: (_id, { signal } = {}) => Promise.resolve(taken.endless(sample, signal)),
    },
  }),
  '/events': (backend, taken) => ({
    ...backend,
    system: { ...backend.system, events: ({ signal } = {}) => Promise.resolve(taken.endless(event, signal)) },
  }),
};

test.each(Object.entries(streams))(
  `${clients} clients that read nothing of %s hold a bounded number of items, and are disconnected`,
  async (path, streamed) => {
    const taken = new Taken();
    const warnings: string[] = [];
    const warn = ({ name }: Error): number => warnings.push(name);
    process.on('warning', warn);
    const running = await runService({ wrap: (backend) => streamed(backend, taken) });
    const connections = new Set<Socket>();
    running.server.server.on('connection', (socket: Socket) => connections.add(socket));
    const opened: Socket[] = [];
    onTestFinished(async () => {
      process.off('warning', warn);
      for (const client of opened) client.destroy();
      await running.stop();
    });
    await running.up('p', 'services: { web: { image: app } }');
    connections.clear();

    const { hostname, port } = new URL(running.url);
    for (let at = 0; at < clients; at++) {
      const client = connect(Number(port), hostname).pause();
      client.on('error', () => undefined); // the server closes it
      client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      opened.push(client);
    }
    // The buffers of the system fill, and then nothing moves, however much else the server does meanwhile.
    const waiting = (): number => [...connections].reduce((sum, { writableLength }) => sum + writableLength, 0);
    await vi.waitFor(
      async () => {
        const before = taken.items;
        for (let turn = 0; turn < 20; turn++) await running.expect(200, 'GET', '/containers');
        expect([taken.open, taken.items]).toEqual([clients, before]);
      },
      { timeout: 60_000 },
    );
    // In the process: an item or two of 50 KB per client; the rest is in the buffers of the system.
    expect(waiting()).toBeLessThan(clients * 200_000);

    // As the server does it, but sooner than after its minute.
    const sweep = closeStalled(connections, 1000);
    onTestFinished(() => {
      clearInterval(sweep);
    });
    await vi.waitFor(
      () => {
        expect(taken.open).toBe(0);
      },
      { timeout: 60_000 },
    );
    const metrics = await (await running.call('GET', '/metrics')).text();
    expect(metrics).toContain('plumbline_compose_open_streams 0');
    expect(warnings).toEqual([]);
  },
  240_000,
);
