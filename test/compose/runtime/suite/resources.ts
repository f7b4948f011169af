/** Images, volumes, networks, secrets. */
import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { BuildSpec } from '../../../../src/compose/runtime/spec.js';
import { toAsyncIterable } from '../../../../src/contract/system/async-iterable.js';
import { tarOf } from '../../../../src/compose/runtime/tar.js';
import { sshAgent } from '../../../support/ssh-agent.js';
import { all, failure, texts, type Bench } from '../conformance.js';
import { obedient } from '../programs.js';

export function resources(bench: Bench): void {
  const { backend, proves, labels, fresh, created, started } = bench;
  const { images, volumes, networks, secrets, internal, containers } = backend;

  proves(['inspectImage', 'listImages'], 'an image is found by its name and by its labels', async () => {
    const image = await images.inspect(bench.image);
    expect(image.tags).toContain(bench.image);
    expect((await images.list()).map(({ id }) => id)).toContain(image.id);
    expect(await failure(images.inspect('localhost/plumbline-none:1'))).toEqual({
      case: 'imageNotFound',
      reference: 'localhost/plumbline-none:1',
    });
  });

  proves(['pull'], 'an image that no registry has is imageNotFound', async () => {
    // Nothing listens on port 1: an engine without a network fails in the same way, and as fast.
    const reference = 'localhost:1/plumbline-none:1';
    const pulled = (async () => all(await images.pull(reference)))();
    expect(await failure(pulled)).toEqual({ case: 'imageNotFound', reference });
  });

  proves(['push'], 'a push fails for a missing image, and for a registry that does not answer', async () => {
    const push = async (reference: string): Promise<unknown> => all(await images.push(reference));
    const reference = `localhost:1/${fresh('i')}:1`;
    expect(await failure(push(reference))).toEqual({ case: 'imageNotFound', reference });
    if (!bench.real) return;
    const id = await created(obedient);
    await containers.commit(id, { reference, pause: false });
    expect((await failure(push(reference))).case).toBe(bench.engineFailure);
    await images.remove(reference, { force: true });
  });

  proves(['commit'], 'a container becomes an image, with its changes', async () => {
    const reference = `localhost/${fresh('i')}:1`;
    const id = await created(obedient, { environment: { WORD: 'kept' } });
    await containers.putFiles(id, [{ path: '/tmp/word', content: Buffer.from('put') }]);
    const image = await containers.commit(id, {
      reference,
      author: 'somebody',
      message: 'a message',
      changes: ['LABEL made=here'],
      pause: true,
    });
    expect((await images.inspect(reference)).id).toBe(image);
    if (bench.real) {
      expect((await images.inspect(reference)).labels).toMatchObject({ made: 'here' });
      const copy = await containers.create({ ...bench.spec(obedient), image: reference });
      expect(await archived(await containers.getArchive(copy.id, '/tmp/word'))).toContain('put');
      await containers.remove(copy.id, { force: true });
    }
    await images.remove(reference, { force: true });
  });

  proves(['getArchive', 'putArchive'], 'an archive is unpacked into a container, and read from it', async () => {
    const id = await created(obedient);
    const entry = { path: 'plt/a.txt', type: 'file', size: 5, mode: 0o640 } as const;
    const archive = tarOf([{ entry, content: Buffer.from('hello') }]);
    await containers.putArchive(id, '/tmp', toAsyncIterable([archive]));
    expect(await archived(await containers.getArchive(id, '/tmp/plt'))).toMatch(/^plt.*plt\/a\.txt.*hello/s);
    expect(await archived(await containers.getArchive(id, '/tmp/plt/a.txt'))).toMatch(/^a\.txt/);
    const missing = containers.getArchive(id, '/tmp/none').then(archived);
    expect(await failure(missing)).toEqual({ case: 'notFound', id: '/tmp/none' });
  });

  proves(['export'], 'the whole file system comes as one archive', async () => {
    const id = await created(obedient);
    await containers.putFiles(id, [{ path: '/tmp/word', content: Buffer.from('exported') }]);
    expect(await archived(await containers.export(id))).toContain('exported');
  });

  proves(
    ['createVolume', 'inspectVolume', 'listVolumes', 'removeVolume'],
    'a volume is created, listed and removed',
    async () => {
      const name = fresh('v');
      const group = { ...labels, 'plt.group': name };
      expect(await volumes.create({ name, labels: group })).toMatchObject({ name, driver: 'local', labels: group });
      expect(await failure(volumes.create({ name, labels }))).toEqual({ case: 'alreadyExists', id: name });
      expect((await volumes.list({ labels: group })).map((volume) => volume.name)).toEqual([name]);
      expect(await volumes.inspect(name)).toMatchObject({ name, labels: group });
      await volumes.remove(name);
      expect(await failure(volumes.inspect(name))).toEqual({ case: 'notFound', id: name });
      expect(await failure(volumes.remove(name))).toEqual({ case: 'notFound', id: name });
    },
  );

  proves(['removeVolume'], 'a volume in use is not removed', async () => {
    const name = fresh('v');
    await volumes.create({ name, labels });
    await created(obedient, { mounts: [{ type: 'volume', source: name, target: '/data' }] });
    expect(await failure(volumes.remove(name))).toMatchObject({ case: bench.engineFailure });
  });

  proves(['ensureNetwork'], 'a project network is created once, and not taken from another project', async () => {
    const name = fresh('n');
    const spec = { name, labels: { ...labels, 'com.docker.compose.project': 'one' } };
    const first = await internal.ensureNetwork(spec);
    expect(first).toMatchObject({ name, driver: 'bridge', internal: false, labels: spec.labels });
    expect((await internal.ensureNetwork(spec)).id).toBe(first.id);
    const other = { name, labels: { ...labels, 'com.docker.compose.project': 'two' } };
    expect(await failure(internal.ensureNetwork(other))).toEqual({ case: 'alreadyExists', id: name });
    expect(await failure(internal.networks.create(spec))).toEqual({ case: 'alreadyExists', id: name });
    expect((await internal.networks.list({ labels: spec.labels })).map((network) => network.name)).toContain(name);
    await internal.networks.remove(name);
    expect(await failure(internal.networks.inspect(name))).toEqual({ case: 'notFound', id: name });
    expect(await failure(internal.networks.remove(name))).toEqual({ case: 'notFound', id: name });
  });

  proves(['ensureNetwork', 'inspectVolume'], 'networks and volumes are listed with their settings', async () => {
    const [name, prefix] = [fresh('n'), `10.${randomInt(1, 255)}.${randomInt(1, 255)}`];
    const project = { 'com.docker.compose.project': name };
    const own = { ...labels, ...project };
    const pool = { subnet: `${prefix}.0/24`, gateway: `${prefix}.9` };
    await internal.ensureNetwork({ name, labels: own, internal: true, addressPools: [pool] });
    expect(await internal.networks.list({ labels: project })).toEqual([
      expect.objectContaining({ name, internal: true, addressPools: [expect.objectContaining(pool)] }),
    ]);
    await internal.networks.remove(name);
    const driverOptions = { type: 'tmpfs', device: 'tmpfs', o: 'nodev' };
    await volumes.create({ name, labels: own, driverOptions });
    expect(await volumes.list({ labels: project })).toEqual([expect.objectContaining({ name, driverOptions })]);
    await volumes.remove(name);
  });

  proves(['disconnect'], 'a network is removed after its stopped containers have been disconnected', async () => {
    const [name, other] = [fresh('n'), fresh('n')];
    for (const network of [name, other]) await internal.ensureNetwork({ name: network, labels });
    const id = await started(obedient, { networks: [{ network: name }, { network: other }] });
    await containers.stop(id, { timeoutSeconds: 0 });
    await internal.disconnect(name, id);
    await internal.networks.remove(name);
    expect((await containers.inspect(id)).networks.map(({ network }) => network)).toEqual([other]);
    await containers.remove(id);
    await internal.networks.remove(other);
  });

  proves(['createContainer'], 'a container on a missing network is notFound', async () => {
    const spec = bench.spec(obedient, { networks: [{ network: 'plt-no-such-network' }] });
    const refused = await failure(containers.create(spec).then(({ id }) => containers.start(id)));
    expect(refused).toEqual({ case: 'notFound', id: 'plt-no-such-network' });
    await containers.remove(spec.name, { force: true }).catch(() => undefined);
  });

  const networkCalls = {
    createNetwork: () => networks.create({ name: fresh('n'), labels }),
    listNetworks: () => networks.list(),
    inspectNetwork: () => networks.inspect('any'),
    removeNetwork: () => networks.remove('any'),
  };
  const secretCalls = {
    createSecret: () => secrets.create({ name: fresh('s'), value: Buffer.from('x') }),
    listSecrets: () => secrets.list(),
    inspectSecret: () => secrets.inspect('any'),
    removeSecret: () => secrets.remove('any'),
  };
  if (backend.conformer !== 'mock') {
    for (const [operation, call] of Object.entries({ ...networkCalls, ...secretCalls })) {
      bench.refuses([operation], `${operation} is refused`, async () => {
        expect(await failure(call())).toEqual({ case: 'notSupported', operation, conformer: backend.conformer });
      });
    }
  } else {
    proves(Object.keys(networkCalls), 'networks are created, listed and removed', async () => {
      const { name, id } = await networks.create({ name: fresh('n'), internal: true });
      expect(await networks.inspect(id)).toMatchObject({ name, internal: true });
      expect((await networks.list()).map((network) => network.name)).toContain(name);
      await networks.remove(name);
      expect(await failure(networks.inspect(name))).toEqual({ case: 'notFound', id: name });
    });
    proves(Object.keys(secretCalls), 'secrets are created, listed without their values, and removed', async () => {
      const spec = { name: fresh('s'), value: Buffer.from('hidden') };
      const record = await secrets.create(spec);
      expect(await failure(secrets.create(spec))).toEqual({ case: 'alreadyExists', id: spec.name });
      expect(JSON.stringify([record, await secrets.list(), await secrets.inspect(record.id)])).not.toContain('hidden');
      await secrets.remove(spec.name);
      expect(await failure(secrets.inspect(spec.name))).toEqual({ case: 'notFound', id: spec.name });
    });
  }

  /** Builds in a directory with these files, and cleans it up. */
  async function build(
    files: Record<string, string>,
    more: Partial<BuildSpec>,
  ): Promise<{ id: string; log: string[] }> {
    const context = await mkdtemp(join(tmpdir(), 'plt-build-'));
    try {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(join(context, path, '..'), { recursive: true });
        await writeFile(join(context, path), content);
      }
      const items = await all(images.build({ context, tags: [], labels, network: 'none', ...more }));
      const last = items.at(-1);
      return {
        id: last?.type === 'done' ? last.imageId : '',
        log: items.flatMap((item) => (item.type === 'log' ? [item.line] : [])),
      };
    } finally {
      await rm(context, { recursive: true });
    }
  }

  proves(['build', 'removeImage'], 'an image is built, tagged and labelled, and removed', async () => {
    const tag = `localhost/plt-built:${fresh('t')}`;
    const { id } = await build({ Dockerfile: `FROM ${bench.image}\n` }, { tags: [tag] });
    expect(await images.inspect(tag)).toMatchObject({ id, labels });
    await images.remove(tag);
    expect(await failure(images.inspect(tag))).toEqual({ case: 'imageNotFound', reference: tag });
  });

  if (!bench.real) return;

  proves(['build'], 'a build uses its context without ignored files, its arguments, and its target', async () => {
    const tag = `localhost/plt-built:${fresh('t')}`;
    const dockerfile = [
      `FROM ${bench.image} AS first`,
      'ARG WORD',
      'COPY . /context',
      'RUN echo "building with $WORD"; echo "$WORD" > /word',
      'CMD ["sh", "-c", "cat /word; cd /context; find . -type f | sort"]',
      'FROM first AS second',
      'RUN exit 1',
    ].join('\n');
    const files = {
      'docker/Dockerfile': dockerfile,
      '.dockerignore': '# comment\n*.log\nnode_modules\n!keep.log\n.dockerignore\ndocker\n',
      'app.txt': 'app',
      'drop.log': 'x',
      'keep.log': 'x',
      'node_modules/dep/index.js': 'x',
      [`deep/${'long'.repeat(40)}/file.txt`]: 'x',
    };
    const { log } = await build(files, {
      tags: [tag],
      dockerfile: 'docker/Dockerfile',
      buildArguments: { WORD: 'argument' },
      target: 'first',
    });
    expect(log.join('\n')).toContain('building with argument');
    const { id } = await containers.create({ name: fresh('c'), image: tag, labels });
    await containers.start(id);
    await internal.awaitExit(id, { timeoutSeconds: 30 });
    expect(texts(await all(containers.logs(id)))).toEqual([
      'argument',
      './app.txt',
      `./deep/${'long'.repeat(40)}/file.txt`,
      './keep.log',
    ]);
  });

  proves(['build'], 'an inline Dockerfile is built with the context', async () => {
    const tag = `localhost/plt-built:${fresh('t')}`;
    const dockerfileInline = `FROM ${bench.image}\nCOPY app.txt /app.txt\nCMD ["cat", "/app.txt"]\n`;
    await build({ 'app.txt': 'from the context\n' }, { tags: [tag], dockerfileInline });
    const { id } = await containers.create({ name: fresh('c'), image: tag, labels });
    await containers.start(id);
    await internal.awaitExit(id, { timeoutSeconds: 30 });
    expect(texts(await all(containers.logs(id)))).toEqual(['from the context']);
  });

  proves(['build'], 'a step that fails is a failure of the engine', async () => {
    const refused = await failure(build({ Dockerfile: `FROM ${bench.image}\nRUN exit 9\n` }, {}));
    expect(refused).toMatchObject({
      case: bench.engineFailure,
      message: expect.stringMatching(/^Build failed: /) as string,
    });
  });

  proves(['build'], 'a missing base image or Dockerfile is imageNotFound', async () => {
    const reference = 'localhost:1/plumbline-none:1';
    expect(await failure(build({ Dockerfile: `FROM ${reference}\n` }, {}))).toEqual({
      case: 'imageNotFound',
      reference,
    });
    const tag = 'localhost/plt-built:none';
    expect(await failure(build({ 'app.txt': '' }, { tags: [tag] }))).toEqual({ case: 'imageNotFound', reference: tag });
  });

  const files = { Dockerfile: `FROM ${bench.image}\n` };
  const refused = (operation: string): object => ({ case: 'notSupported', conformer: backend.conformer, operation });

  if (backend.conformer === 'bridge' && bench.builder === 'classic') {
    bench.refuses(['build.secrets', 'build.ssh'], 'what needs BuildKit is refused', async () => {
      expect(await failure(build(files, { secrets: [{ id: 'a', path: '/none' }] }))).toEqual(refused('build.secrets'));
      expect(await failure(build(files, { ssh: ['default'] }))).toEqual(refused('build.ssh'));
    });
  } else {
    proves(['build.secrets'], 'secrets from files and values are available in the build', async () => {
      const other = await mkdtemp(join(tmpdir(), 'plt-other-'));
      try {
        await writeFile(join(other, 'secret'), 'hidden value');
        const dockerfileInline = [
          `FROM ${bench.image}`,
          'RUN --mount=type=secret,id=word --mount=type=secret,id=other \\',
          '  test "$(cat /run/secrets/word) $(cat /run/secrets/other)" = "hidden value another, value" && echo matched',
        ].join('\n');
        const secrets = [
          { id: 'word', path: join(other, 'secret') },
          { id: 'other', value: 'another, value', variable: 'PATH' },
        ];
        const { log } = await build({}, { dockerfileInline, secrets, noCache: true });
        expect(log).toContain('matched');
        expect(log.join('\n')).not.toMatch(/^(?:hidden|another, )value$/m);
      } finally {
        await rm(other, { recursive: true });
      }
    });

    proves(['build.ssh'], 'an SSH agent is available in the build', async () => {
      const agent = await sshAgent();
      try {
        const dockerfileInline = `FROM ${bench.image}\nRUN --mount=type=ssh test -S "$SSH_AUTH_SOCK" && echo connected\n`;
        const { log } = await build({}, { dockerfileInline, ssh: [`default=${agent.socket}`], noCache: true });
        expect(log).toContain('connected');
      } finally {
        await agent.end();
      }
    });
  }

  if (backend.conformer === 'bridge' && !(bench.name === 'bridge/docker-current' && bench.builder === 'buildx')) {
    // The BuildKit of Docker 20.10 is older than these contexts.
    bench.refuses(['build.additional_contexts'], 'additional contexts are refused', async () => {
      const more = { additionalContexts: { other: tmpdir() } };
      expect(await failure(build(files, more))).toEqual(refused('build.additional_contexts'));
    });
  } else {
    proves(['build.additional_contexts'], 'additional contexts are available in the build', async () => {
      const other = await mkdtemp(join(tmpdir(), 'plt-other-'));
      try {
        await writeFile(join(other, 'there.txt'), 'from the other context\n');
        const dockerfileInline = `FROM ${bench.image}\nCOPY --from=other there.txt /\nRUN cat /there.txt\n`;
        const { log } = await build({}, { dockerfileInline, additionalContexts: { other }, noCache: true });
        expect(log).toContain('from the other context');
      } finally {
        await rm(other, { recursive: true });
      }
    });
  }
}

async function archived(archive: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await all(archive)).toString('latin1');
}
