/** Whatever is there, and wherever it breaks: the next `up` brings the project to what its file says. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSettled } from '../../../src/compose/orchestrator/plan.js';
import { alreadyExists, backendFailure } from '../../../src/compose/runtime/errors.js';
import type { OperationName } from '../../../src/compose/runtime/mock/faults.js';
import { up } from '../../../src/compose/orchestrator/up.js';
import { bench, loaded, type Bench } from './bench.js';

interface RandomService {
  readonly scale: number;
  readonly colour: string;
  /** Bits: whether it depends on each service before it. */
  readonly dependencies: number;
}

const service = fc.record({
  scale: fc.integer({ min: 0, max: 3 }),
  colour: fc.constantFrom('red', 'blue'),
  dependencies: fc.nat({ max: 15 }),
});
const project = fc.array(service, { minLength: 1, maxLength: 4 });

type Disturbance = readonly ['stop' | 'exit' | 'vanish', number];
const disturbances = fc.array(
  fc.tuple(fc.constantFrom('stop' as const, 'exit' as const, 'vanish' as const), fc.nat()),
  {
    maxLength: 4,
  },
);

describe('up converges', () => {
  it('from any project to any other, after any events in between, and a second run changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(project, project, disturbances, async (first, second, happenings) => {
        const setup = bench();
        await setup.up(fileOf(first));
        for (const happening of happenings) await disturb(setup, happening);
        await setup.up(fileOf(second), { removeOrphans: true });
        expect(await setup.statuses()).toEqual(wanted(second));
        setup.actions();
        const { plan } = await setup.up(fileOf(second), { removeOrphans: true });
        expect(isSettled(plan)).toBe(true);
        expect(setup.actions()).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  const steps = [
    'ensureNetwork',
    'createVolume',
    'createContainer',
    'start',
    'stop',
    'removeContainer',
    'pull',
    'rename',
  ] as const;
  it.each<OperationName>([...steps])('an up that dies at %s is finished by the next one', async (operation) => {
    const before: RandomService[] = [
      { scale: 1, colour: 'red', dependencies: 0 },
      { scale: 2, colour: 'red', dependencies: 1 },
    ];
    const after: RandomService[] = [
      { scale: 2, colour: 'blue', dependencies: 0 },
      { scale: 1, colour: 'blue', dependencies: 1 },
      { scale: 1, colour: 'blue', dependencies: 3 },
    ];
    let died = 0;
    // Each time one call later, until it is not reached any more.
    for (let call = 0; ; call++) {
      const setup = bench();
      // The network is there from the first up on.
      if (operation !== 'ensureNetwork') await setup.up(fileOf(before));
      const kept = await anonymousVolumes(setup);
      const failing = failingAt(setup, operation, call);
      const outcome = await failing.up(fileOf(after)).then(
        () => 'done',
        () => 'died',
      );
      await setup.up(fileOf(after));
      expect(await setup.statuses()).toEqual(wanted(after));
      expect(await anonymousVolumes(setup)).toMatchObject(survivors(kept, after));
      if (outcome === 'done') break;
      died++;
    }
    expect(died).toBeGreaterThan(0);
  });

  it('adopts a container that a killed up was still creating', async () => {
    const setup = bench();
    const { create } = setup.orchestration.backend.containers;
    // The request of the killed one comes first.
    await up(
      creatingBy(setup, async (...request) => {
        await create(...request);
        return create(...request);
      }),
      await loaded('services: { db: { image: db } }'),
    );
    expect(await setup.statuses()).toEqual({ 'shop-db': 'running' });
  });

  it('waits for the container of a killed up while the engine has only reserved its name', async () => {
    const setup = bench();
    const { create } = setup.orchestration.backend.containers;
    let refusals = 3;
    await up(
      creatingBy(setup, async (spec, options) => {
        if (--refusals === 0) await create(spec, options);
        else if (refusals > 0) throw alreadyExists(spec.name);
        return create(spec, options);
      }),
      await loaded('services: { db: { image: db } }'),
    );
    expect(refusals).toBe(0);
    expect(await setup.statuses()).toEqual({ 'shop-db': 'running' });
  });

  it('refuses a name that stays reserved without a container', async () => {
    const reserved = creatingBy(bench(), (spec) => Promise.reject(alreadyExists(spec.name)));
    const started = up(reserved, await loaded('services: { db: { image: db } }'));
    await expect(started).rejects.toEqual(alreadyExists('shop-db'));
  });

  it('refuses a name in use by another container', async () => {
    const setup = bench();
    await setup.up('services: { first: { image: db } }');
    await setup.orchestration.backend.containers.create({ name: 'shop-db', image: 'db', labels: { of: 'somebody' } });
    await expect(setup.up('services: { db: { image: db } }')).rejects.toMatchObject({
      failure: { case: 'alreadyExists' },
    });
  });
});

/** The same setup, whose engine creates containers by this function. */
function creatingBy(
  { orchestration }: Bench,
  create: Bench['orchestration']['backend']['containers']['create'],
): Bench['orchestration'] {
  const { backend } = orchestration;
  return { ...orchestration, backend: { ...backend, containers: { ...backend.containers, create } } };
}

/** The same setup, in which one call of an operation, and every call of anything after it, fails: as if killed. */
function failingAt(setup: Bench, operation: OperationName, call: number): Bench {
  const { backend } = setup.orchestration;
  let left = call;
  let dead = false;
  const die = (name: string): void => {
    if (name === operation && left-- === 0) dead = true;
    if (dead) throw backendFailure('killed');
  };
  const guarded = <G extends object>(group: G, names: Readonly<Record<string, OperationName>>): G =>
    Object.fromEntries(
      Object.entries(group).map(([method, act]) => [
        method,
        typeof act !== 'function'
          ? act
          : // eslint-disable-next-line @typescript-eslint/require-await -- it must reject, not throw
            async (...args: unknown[]) => {
              die(names[method] ?? '');
              return (act as (...all: unknown[]) => unknown)(...args);
            },
      ]),
    ) as G;
  const dying = {
    ...backend,
    containers: guarded(backend.containers, {
      create: 'createContainer',
      start: 'start',
      stop: 'stop',
      remove: 'removeContainer',
    }),
    images: guarded(backend.images, { pull: 'pull' }),
    volumes: guarded(backend.volumes, { create: 'createVolume' }),
    internal: guarded(backend.internal, { ensureNetwork: 'ensureNetwork', rename: 'rename' }),
  };
  return {
    ...setup,
    up: async (file, options) => {
      return up(
        { ...setup.orchestration, backend: dying },
        typeof file === 'string' ? await loaded(file) : file,
        options,
      );
    },
  };
}

function fileOf(services: readonly RandomService[]): string {
  const definitions = services.map(({ scale, colour, dependencies }, index) => [
    `s${index}`,
    {
      image: `i${index}-${colour}`,
      scale,
      environment: { COLOUR: colour },
      volumes: [`v${index}:/data`, '/anonymous'],
      depends_on: services.slice(0, index).flatMap((_, other) => ((dependencies >> other) & 1 ? [`s${other}`] : [])),
    },
  ]);
  const volumes = Object.fromEntries(services.map((_, index) => [`v${index}`, {}]));
  return JSON.stringify({ services: Object.fromEntries(definitions), volumes });
}

function wanted(services: readonly RandomService[]): Record<string, string> {
  return Object.fromEntries(
    services.flatMap(({ scale }, index) =>
      Array.from({ length: scale }, (_, place) => [`shop-s${index}${place === 0 ? '' : `-${place + 1}`}`, 'running']),
    ),
  );
}

/** What each container keeps without a name, by the container's name. */
async function anonymousVolumes({ containers }: Bench): Promise<Record<string, string | undefined>> {
  const all = await containers();
  return Object.fromEntries(
    all.map(({ name, mounts }) => [name, mounts.find(({ target }) => target === '/anonymous')?.source]),
  );
}

function survivors<T>(volumes: Readonly<Record<string, T>>, services: readonly RandomService[]): Record<string, T> {
  return Object.fromEntries(Object.entries(volumes).filter(([name]) => Object.hasOwn(wanted(services), name)));
}

async function disturb({ containers, control, orchestration }: Bench, [what, which]: Disturbance): Promise<void> {
  const running = (await containers()).filter(({ status }) => status === 'running');
  const container = running[which % Math.max(1, running.length)];
  if (container === undefined) return;
  if (what === 'vanish') control.vanish(container.id);
  else if (what === 'exit') control.exit(container.id, 1);
  else await orchestration.backend.containers.stop(container.id);
}
