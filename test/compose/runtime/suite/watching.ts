/** Health and events, and letting go of them. */
import { expect } from 'vitest';
import type { RuntimeEvent } from '../../../../src/compose/runtime/records.js';
import { all, eventually, type Bench } from '../conformance.js';
import { exitsWithThree, healthy, obedient, unhealthy } from '../programs.js';

export function watching(bench: Bench): void {
  const { backend, proves, created, started } = bench;
  const { containers, system } = backend;

  proves(['ping', 'version', 'info'], 'the engine reports its name and version', async () => {
    await system.ping();
    const version = await system.version();
    expect(version).toMatchObject({ os: 'linux', version: expect.stringMatching(/^\d+\./) as string });
    expect(await system.info()).toMatchObject({ ...version, containers: expect.any(Number) as number });
  });

  const check = (test: readonly string[]) => ({ test: ['CMD', ...test], intervalMs: 200, timeoutMs: 5000, retries: 2 });

  proves(['watchHealth'], 'a container whose check succeeds becomes healthy', async () => {
    const id = await started(obedient, { healthcheck: check(healthy.command) });
    const seen: string[] = [];
    for await (const health of await containers.watchHealth(id)) {
      seen.push(health);
      if (health === 'healthy') break;
    }
    expect(['healthy', 'starting healthy']).toContain(seen.join(' '));
    expect((await containers.inspect(id)).health).toMatchObject({ status: 'healthy', failingStreak: 0 });
  });

  proves(['watchHealth'], 'a container whose check fails as often as retries say becomes unhealthy', async () => {
    const id = await started(obedient, { healthcheck: check(unhealthy.command) });
    const seen: string[] = [];
    for await (const health of await containers.watchHealth(id)) {
      seen.push(health);
      if (health === 'unhealthy') break;
    }
    expect(['unhealthy', 'starting unhealthy']).toContain(seen.join(' '));
    const now = await containers.inspect(id);
    expect(now.health?.failingStreak).toBeGreaterThanOrEqual(2);
  });

  proves(['watchHealth'], 'watching ends with the container, and at once if there is no check', async () => {
    const id = await started(obedient, { healthcheck: { ...check(healthy.command), intervalMs: 60_000 } });
    const seen: string[] = [];
    for await (const health of await containers.watchHealth(id)) {
      seen.push(health);
      await containers.kill(id);
    }
    expect(seen[0]).toBe('starting');
    expect(await all(containers.watchHealth(await started(obedient)))).toEqual([]);
  });

  proves(['watchHealth'], 'watching can be aborted', async () => {
    const id = await started(obedient, { healthcheck: { ...check(healthy.command), intervalMs: 60_000 } });
    const gaveUp = new AbortController();
    const reason = new Error('gave up');
    const reading = (async () => {
      for await (const health of await containers.watchHealth(id, { signal: gaveUp.signal })) {
        if (health === 'starting') gaveUp.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
  });

  /** The events of what `act` does to containers of one label, up to and including the last of a type. */
  async function eventsOf(last: RuntimeEvent['type'], act: (labels: Record<string, string>) => Promise<unknown>) {
    const labels = { 'plt.events': bench.fresh('e') };
    const stream = await system.events({ labels });
    const reading = (async () => {
      const seen: RuntimeEvent[] = [];
      for await (const event of stream) {
        seen.push(event);
        if (event.type === last) break;
      }
      return seen;
    })();
    await act(labels);
    return reading;
  }

  proves(['events'], 'events report the life of a stopped container, with names, labels and exit code', async () => {
    const name = bench.fresh('c');
    const seen = await eventsOf('removed', async (labels) => {
      const id = await started(obedient, { name, labels });
      await containers.stop(id, { timeoutSeconds: 20 });
      await containers.remove(id);
    });
    const types = seen.map(({ type }) => type).filter((type) => type !== 'killed');
    expect(types).toEqual(['created', 'started', 'stopped', 'removed']);
    expect(new Set(seen.map((event) => event.name))).toEqual(new Set([name]));
    expect(seen[0]?.labels).toMatchObject(bench.labels);
    expect(seen.find(({ type }) => type === 'stopped')?.exitCode).toBe(0);
    expect(seen.every(({ time }) => !Number.isNaN(Date.parse(time)))).toBe(true);
  });

  proves(['events'], 'a process that ends by itself is reported as exited, with its code', async () => {
    const seen = await eventsOf('exited', (labels) => started(exitsWithThree, { labels }));
    expect(seen.at(-1)).toMatchObject({ type: 'exited', exitCode: 3 });
  });

  proves(['events'], 'a kill is reported', async () => {
    const seen = await eventsOf('exited', async (labels) => containers.kill(await started(obedient, { labels })));
    expect(seen.map(({ type }) => type)).toContain('killed');
    expect(seen.at(-1)).toMatchObject({ type: 'exited', exitCode: 137 });
  });

  proves(['events'], 'since repeats earlier events, and until ends the stream', async () => {
    const labels = { 'plt.events': bench.fresh('e') };
    const since = new Date(Date.now() - 1000);
    await created(obedient, { labels });
    // Engines count finer than Date does, so the end is the next millisecond, once it is over.
    const until = new Date(Date.now() + 1);
    await eventually(() => Promise.resolve(Date.now() > until.getTime()));
    const seen = await all(system.events({ labels, since, until }));
    expect(seen.map(({ type }) => type)).toEqual(['created']);
  });

  proves(['events'], 'the stop of a restart is reported as one, also to a reader that comes later', async () => {
    const labels = { 'plt.events': bench.fresh('e') };
    const since = new Date(Date.now() - 1000);
    const id = await started(obedient, { labels });
    await containers.restart(id, { timeoutSeconds: 20 });
    const until = new Date(Date.now() + 1);
    await eventually(() => Promise.resolve(Date.now() > until.getTime()));
    const seen = (await all(system.events({ labels, since, until }))).map(({ type }) => type);
    expect(seen.filter((type) => type !== 'killed')).toEqual(['created', 'started', 'stopped', 'started']);
  });

  proves(['events'], 'listening can be aborted', async () => {
    const gaveUp = new AbortController();
    const reason = new Error('gave up');
    const labels = { 'plt.events': bench.fresh('e') };
    const stream = await system.events({ labels, signal: gaveUp.signal });
    const reading = (async () => {
      for await (const { type } of stream) if (type === 'created') gaveUp.abort(reason);
    })();
    const rejected = expect(reading).rejects.toBe(reason);
    await created(obedient, { labels });
    await rejected;
  });

  proves(['awaitExit'], 'waiting can be aborted', async () => {
    const reason = new Error('gave up');
    const id = await started(obedient);
    const gaveUp = new AbortController();
    const waiting = backend.internal.awaitExit(id, { signal: gaveUp.signal });
    setImmediate(() => {
      gaveUp.abort(reason);
    });
    await expect(waiting).rejects.toBe(reason);
  });
}
