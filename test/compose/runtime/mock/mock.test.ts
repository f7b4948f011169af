/** What the mock has beyond the conformance suite: held time, scripted events, faults. */
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../../src/compose/runtime/clock.js';
import { alreadyExists, RuntimeError } from '../../../../src/compose/runtime/errors.js';
import { mockBackend, type Mock } from '../../../../src/compose/runtime/mock/mock.js';
import { all, failure, texts } from '../conformance.js';
import { exitsWithThree, mockPrograms, stubborn } from '../programs.js';

/** Time that stands until it is moved; a sleep ends when its time has come. */
function heldClock(): Clock & { advance(milliseconds: number): Promise<void> } {
  let now = Date.UTC(2026, 0, 1);
  let sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  return {
    now: () => new Date(now),
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        signal?.addEventListener(
          'abort',
          () => {
            reject(signal.reason as Error);
          },
          { once: true },
        );
        sleepers.push({ at: now + milliseconds, wake: resolve });
      }),
    async advance(milliseconds) {
      await new Promise((resolve) => setImmediate(resolve));
      now += milliseconds;
      const due = sleepers.filter(({ at }) => at <= now);
      sleepers = sleepers.filter(({ at }) => at > now);
      for (const { wake } of due) wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function setUp(): { mock: Mock; clock: ReturnType<typeof heldClock>; create: (name: string) => Promise<string> } {
  const clock = heldClock();
  let count = 0;
  const mock = mockBackend({
    clock,
    newId: () => (++count).toString(16).padStart(64, '0'),
    programs: mockPrograms,
    images: ['web'],
  });
  const create = async (name: string): Promise<string> =>
    (await mock.backend.containers.create({ name, image: 'web' })).id;
  return { mock, clock, create };
}

describe('the mock backend', () => {
  it('returns the same results for the same calls', async () => {
    const answers = async (): Promise<string> => {
      const { mock, create } = setUp();
      const id = await create('one');
      await mock.backend.containers.start(id);
      return JSON.stringify([await mock.backend.containers.inspect(id), await mock.backend.system.info()]);
    };
    expect(await answers()).toBe(await answers());
  });

  it('kills a container after the grace period of the test clock, not before', async () => {
    const { mock, clock } = setUp();
    const { containers } = mock.backend;
    const { id } = await containers.create({ name: 'one', image: 'web', command: stubborn.command });
    await containers.start(id);
    const stop = containers.stop(id, { timeoutSeconds: 10 });
    await clock.advance(9_999);
    expect((await containers.inspect(id)).status).toBe('stopping');
    await clock.advance(1);
    await stop;
    expect(await containers.inspect(id)).toMatchObject({ status: 'stopped', exitCode: 137 });
  });

  it('treats a container as running again after the grace period of a lost stop', async () => {
    const { mock, clock } = setUp();
    const { containers } = mock.backend;
    const { id } = await containers.create({ name: 'one', image: 'web', command: stubborn.command });
    await containers.start(id);
    const gaveUp = new AbortController();
    const stop = containers.stop(id, { timeoutSeconds: 10, signal: gaveUp.signal });
    await clock.advance(1);
    gaveUp.abort(new Error('killed'));
    await expect(stop).rejects.toThrow('killed');
    expect((await containers.inspect(id)).status).toBe('stopping');
    await clock.advance(60_000);
    expect((await containers.inspect(id)).status).toBe('running');
  });

  it('ends a wait at the timeout of the test clock', async () => {
    const { mock, clock, create } = setUp();
    const id = await create('one');
    await mock.backend.containers.start(id);
    const waiting = failure(mock.backend.containers.wait(id, { timeoutSeconds: 30 }));
    await clock.advance(30_000);
    expect(await waiting).toEqual({ case: 'timeout', id, seconds: 30 });
  });

  it('waits for a container that is not started yet', async () => {
    const { mock, clock } = setUp();
    const { containers } = mock.backend;
    const { id } = await containers.create({ name: 'one', image: 'web', command: exitsWithThree.command });
    const waiting = containers.wait(id, { timeoutSeconds: 30 });
    await clock.advance(1000);
    await containers.start(id);
    await clock.advance(1000);
    expect(await waiting).toMatchObject({ exitCode: 3 });
  });

  it('lets a test print output, end, fail the health check, and remove a container', async () => {
    const { mock, create, clock } = setUp();
    const { control, backend } = mock;
    const id = await create('one');
    await backend.containers.start(id);
    control.log('one', 'stderr', 'spoken');
    expect(texts(await all(backend.containers.logs(id)), 'stderr')).toEqual(['spoken']);
    control.setHealth('one', 'unhealthy');
    expect((await backend.containers.inspect(id)).health?.status).toBe('unhealthy');
    control.setStats(id, { memoryUsageBytes: 7 });
    expect((await backend.containers.stats(id)).memoryUsageBytes).toBe(7);
    control.exit(id, 5);
    expect(await backend.containers.inspect(id)).toMatchObject({ status: 'exited', exitCode: 5 });
    control.vanish(id);
    expect(await failure(backend.containers.inspect(id))).toEqual({ case: 'notFound', id });
    const types = (await all(backend.system.events({ since: new Date(0), until: clock.now() }))).map(
      ({ type }) => type,
    );
    expect(types).toEqual(['created', 'started', 'health', 'exited', 'removed']);
  });

  it('stores the values of secrets, and returns none', async () => {
    const { mock } = setUp();
    await mock.backend.secrets.create({ name: 'word', value: Buffer.from('hidden') });
    expect(Buffer.from(mock.control.secretValue('word') ?? []).toString()).toBe('hidden');
    expect(JSON.stringify(await mock.backend.secrets.list())).not.toContain('hidden');
  });

  it('fails an operation as often as planned, for the named container', async () => {
    const { mock, create } = setUp();
    const { containers } = mock.backend;
    const [one, two] = [await create('one'), await create('two')];
    const broken = new RuntimeError({ case: 'backendFailure', message: 'planned' });
    mock.faults.fail('start', broken, { id: two });
    await containers.start(one);
    await expect(containers.start(two)).rejects.toBe(broken);
    await containers.start(two);
    mock.faults.fail('createContainer', alreadyExists('three'), { id: 'three', times: Infinity });
    await expect(create('three')).rejects.toThrow('already exists');
    await expect(create('three')).rejects.toThrow('already exists');
    mock.faults.clear();
    await create('three');
  });

  it('fails the internal operations, too', async () => {
    const { mock } = setUp();
    const broken = new RuntimeError({ case: 'persistenceFailure', message: 'planned' });
    mock.faults.fail('ensureNetwork', broken);
    await expect(mock.backend.internal.ensureNetwork({ name: 'n' })).rejects.toBe(broken);
    mock.faults.fail('removeNetwork', broken);
    await expect(mock.backend.internal.networks.remove('n')).rejects.toBe(broken);
  });
});
