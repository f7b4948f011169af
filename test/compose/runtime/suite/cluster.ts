/** What a backend must do whose engine runs services itself. It cannot create containers, so it has a separate suite. */
import { expect } from 'vitest';
import type { ClusterOperations } from '../../../../src/compose/runtime/cluster.js';
import type { ContainerRecord } from '../../../../src/compose/runtime/records.js';
import type { Backend } from '../../../../src/compose/runtime/runtime.js';
import { all, failure, outcome, texts, type Bench } from '../conformance.js';
import { exitsWithThree, healthy, obedient, prints, talks, type TestProgram } from '../programs.js';

export function cluster(bench: Bench): void {
  const { backend, proves, refuses, fresh } = bench;
  const { containers } = backend;

  for (const [operation, call] of Object.entries(refusedCalls(backend))) {
    refuses([operation], `${operation} is refused`, async () => {
      expect(await failure(call())).toEqual({ case: 'notSupported', operation, conformer: backend.conformer });
    });
  }

  /** A service with one replica, in the project of its name. */
  async function service(program: TestProgram, check?: readonly string[]): Promise<string> {
    const name = fresh('s');
    await operations(backend).services.create({
      Name: `${name}_web`,
      Labels: { ...bench.labels, 'com.docker.stack.namespace': name },
      TaskTemplate: {
        ContainerSpec: {
          Image: bench.image,
          Command: [...program.command],
          ...(check && { HealthCheck: { Test: ['CMD', ...check], Interval: 2e8 } }),
        },
        RestartPolicy: { Condition: 'none' },
      },
      Mode: { Replicated: { Replicas: 1 } },
    });
    return name;
  }

  async function listed(project: string): Promise<ContainerRecord | undefined> {
    return (await containers.list({ labels: { 'com.docker.compose.project': project } }))[0];
  }

  async function running(project: string): Promise<ContainerRecord> {
    await expect.poll(async () => (await listed(project))?.status, patient).toBe('running');
    const found = await listed(project);
    if (found === undefined) throw new Error(`${project} has no container`);
    return found;
  }

  async function removed(project: string): Promise<void> {
    const { services } = operations(backend);
    for (const { id, labels } of await services.list()) {
      if (labels['com.docker.stack.namespace'] === project) await services.remove(id);
    }
  }

  proves(
    ['listContainers', 'inspectContainer', 'exec', 'top', 'stats', 'port', 'events'],
    'a task is a container of the project',
    async () => {
      const over = new AbortController();
      const events = await backend.system.events({ signal: over.signal });
      const project = await service(obedient);
      const record = await running(project);
      expect(record).toMatchObject({ name: `${project}_web.1`, command: [], entrypoint: obedient.command });
      expect(await containers.inspect(record.name)).toMatchObject({ id: record.id });
      expect(await containers.inspect(record.id.slice(0, 12))).toMatchObject({ id: record.id });
      expect(await failure(containers.inspect('none'))).toEqual({ case: 'notFound', id: 'none' });
      const run = await containers.exec(record.id, { command: prints.command, environment: { WORD: 'a' } });
      expect(await outcome(run)).toEqual({ stdout: 'out a\n', stderr: 'err\n', exitCode: 5 });
      expect((await containers.top(record.id)).processes.length).toBeGreaterThan(0);
      expect(await containers.stats(record.id)).toMatchObject({ id: record.id });
      expect(await containers.port(record.id)).toEqual([]);
      for await (const { type, id } of events) if (type === 'started' && id === record.id) break;
      over.abort();
      await removed(project);
    },
  );

  proves(['logs', 'wait', 'awaitExit'], 'the output and the exit code of a task can be read', async () => {
    const project = await service(talks);
    await expect.poll(async () => (await listed(project))?.status, patient).toBe('exited');
    const record = await listed(project);
    const id = record?.id ?? '';
    await expect.poll(async () => texts(await all(containers.logs(id))), patient).toEqual(['one', 'two', 'three']);
    expect(texts(await all(containers.logs(id, { tail: 1 })))).toEqual(['three']);
    expect(texts(await all(containers.logs(id, { follow: true })), 'stderr')).toEqual(['two']);
    expect(await containers.wait(id)).toMatchObject({ exitCode: 0 });
    await removed(project);
    const failing = await service(exitsWithThree);
    await expect.poll(async () => (await listed(failing))?.status, patient).toBe('exited');
    expect(await backend.internal.awaitExit((await listed(failing))?.id ?? '')).toMatchObject({ exitCode: 3 });
    await removed(failing);
  });

  proves(['watchHealth'], 'a task that runs has passed its health check', async () => {
    const project = await service(obedient, healthy.command);
    const { id } = await running(project);
    for await (const status of await containers.watchHealth(id)) {
      expect(status).toBe('healthy');
      break;
    }
    await removed(project);
  });

  proves(['ping', 'version', 'info'], 'the engine of the manager answers', async () => {
    await backend.system.ping();
    expect(await backend.system.version()).toMatchObject({ engine: 'docker' });
    expect((await backend.system.info()).cpus).toBeGreaterThan(0);
  });

  proves(['ensureNetwork'], 'networks reach all nodes, and belong to a stack', async () => {
    const name = fresh('n');
    const labels = { ...bench.labels, 'com.docker.compose.project': name };
    const made = await backend.internal.ensureNetwork({ name, labels });
    expect(await backend.internal.ensureNetwork({ name, labels })).toMatchObject({ id: made.id, driver: 'overlay' });
    const found = await backend.internal.networks.list({ labels: { 'com.docker.compose.project': name } });
    expect(found.map((network) => network.labels['com.docker.stack.namespace'])).toEqual([name]);
    expect(await failure(backend.internal.ensureNetwork({ name, labels: {} }))).toEqual({
      case: 'alreadyExists',
      id: name,
    });
    await backend.internal.networks.remove(made.id);
  });
}

const patient = { timeout: 50_000, interval: 100 };

function operations({ cluster: offered }: Backend): ClusterOperations {
  if (offered === undefined) throw new Error('the backend has no services');
  return offered;
}

/** By the name in the failure. */
function refusedCalls({
  containers,
  images,
  networks,
  secrets,
  internal,
}: Backend): Record<string, () => Promise<unknown>> {
  return {
    createContainer: () => containers.create({ name: 'a', image: 'a' }),
    start: () => containers.start('a'),
    startAttached: () => containers.startAttached('a'),
    attach: () => containers.attach('a'),
    pause: () => containers.pause('a'),
    unpause: () => containers.unpause('a'),
    stop: () => containers.stop('a'),
    kill: () => containers.kill('a'),
    restart: () => containers.restart('a'),
    removeContainer: () => containers.remove('a'),
    putFiles: () => containers.putFiles('a', []),
    getArchive: () => containers.getArchive('a', '/'),
    putArchive: () => containers.putArchive('a', '/', none()),
    export: () => containers.export('a'),
    commit: () => containers.commit('a', { pause: false }),
    rename: () => internal.rename('a', 'b'),
    build: () => images.build({ context: '/', tags: [] }),
    createNetwork: () => networks.create({ name: 'a' }),
    listNetworks: () => networks.list(),
    inspectNetwork: () => networks.inspect('a'),
    removeNetwork: () => networks.remove('a'),
    createSecret: () => secrets.create({ name: 'a', value: new Uint8Array() }),
    listSecrets: () => secrets.list(),
    inspectSecret: () => secrets.inspect('a'),
    removeSecret: () => secrets.remove('a'),
  };
}

async function* none(): AsyncGenerator<Uint8Array, void> {
  // An empty archive.
}
