/** What containers can see and reach: each other, the host, and the parts of their specification. */
import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ContainerSpec } from '../../../../src/compose/runtime/spec.js';
import { all, failure, texts, type Bench } from '../conformance.js';
import { obedient, type TestProgram } from '../programs.js';

export function isolation(bench: Bench): void {
  const { backend, proves, labels, fresh, started, created, ended } = bench;
  const { containers, images, internal, volumes } = backend;

  if (!bench.real) {
    proves(['port'], 'a published port is reported while the container runs', async () => {
      const id = await started(obedient, { ports: [{ containerPort: 80, hostAddress: '127.0.0.1' }] });
      expect(await containers.port(id, { containerPort: 80 })).toMatchObject([{ hostAddress: '127.0.0.1' }]);
    });
    proves(['putFiles'], 'files can be put into a container', async () => {
      await containers.putFiles(await created(obedient), [{ path: '/a', content: Buffer.from('x') }]);
    });
    return;
  }

  const script = (text: string): TestProgram => ({ command: ['sh', '-c', text], mock: () => 0 });
  /** What a container with this specification prints, to its end. */
  const printed = async (text: string, more: Partial<ContainerSpec> = {}): Promise<string> =>
    texts(await all(containers.logs(await ended(script(text), more)))).join('\n');

  const serves = script('echo served > /tmp/index.html; httpd -f -p 80 -h /tmp');

  proves(['createContainer', 'ensureNetwork'], 'services find each other by name and by alias', async () => {
    const network = fresh('n');
    await internal.ensureNetwork({ name: network, labels });
    const server = bench.spec(serves, { networks: [{ network, aliases: ['web', 'www'] }] });
    const { id } = await containers.create(server);
    await containers.start(id);
    const fetched = await printed(
      // The server may need a moment after it counts as running.
      `for host in ${server.name} web www; do
         until wget -q -O - http://$host/ 2>/dev/null; do sleep 0.1; done
       done`,
      { networks: [{ network }] },
    );
    expect(fetched).toBe('served\nserved\nserved');
    expect((await containers.inspect(id)).networks).toMatchObject([
      {
        network,
        ipv4Address: expect.stringMatching(/^\d+\./) as string,
        aliases: expect.arrayContaining(['web', 'www']) as string[],
      },
    ]);
  });

  proves(['createContainer'], 'a container is on each of its networks, with the address it asks for', async () => {
    const [one, two] = [fresh('n'), fresh('n')];
    const prefix = freeRange();
    await internal.ensureNetwork({ name: one, labels });
    await internal.ensureNetwork({ name: two, labels, addressPools: [{ subnet: `${prefix}.0/24` }] });
    const id = await started(obedient, {
      networks: [{ network: one }, { network: two, ipv4Address: `${prefix}.77`, aliases: ['second'] }],
    });
    const endpoints = (await containers.inspect(id)).networks;
    expect(endpoints.map(({ network }) => network).sort()).toEqual([one, two].sort());
    expect(endpoints.find(({ network }) => network === two)?.ipv4Address).toBe(`${prefix}.77`);
  });

  proves(
    ['createContainer'],
    'a network interface has the name it asks for, or a warning says that it has not',
    async () => {
      const network = fresh('n');
      await internal.ensureNetwork({ name: network, labels });
      const { id, warnings } = await containers.create(
        bench.spec(script('ls /sys/class/net'), { networks: [{ network, interfaceName: 'plt7' }] }),
      );
      await containers.start(id);
      await internal.awaitExit(id, { timeoutSeconds: 30 });
      const interfaces = texts(await all(containers.logs(id)));
      expect(interfaces.includes('plt7')).toBe(warnings.length === 0);
      if (bench.name === 'bridge/docker-current' || bench.name === 'native/podman') expect(warnings).toEqual([]);
    },
  );

  proves(['ensureNetwork'], 'an address range in use is a failure that says so, not alreadyExists', async () => {
    const taken = { labels, addressPools: [{ subnet: `${freeRange()}.0/24` }] };
    await internal.ensureNetwork({ ...taken, name: fresh('n') });
    const name = fresh('n');
    expect(await failure(internal.ensureNetwork({ ...taken, name }))).toMatchObject({
      case: bench.engineFailure,
      message: expect.stringMatching(/subnet .* already used|pool overlaps/i) as string,
    });
    expect(await failure(internal.networks.inspect(name))).toEqual({ case: 'notFound', id: name });
  });

  proves(['createContainer'], 'network mode none has no network, and container shares that of the other', async () => {
    const interfaces = 'ls /sys/class/net | tr "\\n" " "; hostname';
    expect((await printed(interfaces, { networkMode: 'none' })).split(' ')[0]).toBe('lo');
    const id = await started(obedient);
    const address = (await containers.inspect(id)).networks[0]?.ipv4Address ?? 'none';
    expect(await printed('ip addr', { networkMode: `container:${id}` })).toContain(address);
  });

  proves(['port', 'createContainer'], 'a published port is reported, and reachable from the host', async () => {
    // A separate network, as in a project: Podman may end the bridge of a shared one with the last container of another
    // test, while this container joins it.
    const network = fresh('n');
    await internal.ensureNetwork({ name: network, labels });
    const ports = [{ containerPort: 80, hostAddress: '127.0.0.1' }];
    const id = await started(serves, { networks: [{ network }], ports });
    const [binding] = await containers.port(id, { containerPort: 80, protocol: 'tcp' });
    expect(binding).toMatchObject({ hostAddress: '127.0.0.1', containerPort: 80, protocol: 'tcp' });
    expect(await fetched(binding?.hostPort ?? 0)).toContain('served');
    expect(await containers.port(id, { containerPort: 81 })).toEqual([]);
  });

  proves(['createVolume', 'createContainer'], 'the data of a volume outlive its container', async () => {
    const name = fresh('v');
    await volumes.create({ name, labels });
    const mounts = [{ type: 'volume', source: name, target: '/data' }] as const;
    const writer = await ended(script('echo kept > /data/file'), { mounts });
    await containers.remove(writer);
    expect(await printed('cat /data/file', { mounts })).toBe('kept');
    const readOnly = [{ type: 'volume', source: name, target: '/data', readOnly: true }] as const;
    expect(await printed('touch /data/other || echo refused', { mounts: readOnly })).toContain('refused');
  });

  proves(['createContainer', 'inspectContainer'], 'the content of an image is mounted read-only', async () => {
    const spec = { mounts: [{ type: 'image', source: bench.image, target: '/other' }] } as const;
    const text = '[ -e /other/bin/busybox ] && touch /other/new || echo refused';
    const [, minor = 0] = (await backend.system.version()).apiVersion.split('.').map(Number);
    if (backend.conformer === 'native' || minor >= 48) {
      expect(await printed(text, spec)).toContain('refused');
      const id = await created(script(text), spec);
      expect((await containers.inspect(id)).mounts).toMatchObject([{ type: 'image', target: '/other' }]);
      await containers.remove(id, { force: true });
    } else {
      expect(await failure(containers.create(bench.spec(script(text), spec)))).toMatchObject({ case: 'notSupported' });
    }
  });

  proves(['createContainer'], 'variables of the image can be unset, unless they get a value', async () => {
    const reference = `localhost/${fresh('i')}:1`;
    const original = await created(obedient, { environment: { ONE: 'image', TWO: 'image' } });
    await containers.commit(original, { reference, pause: false });
    const more = { image: reference, unsetVariables: ['ONE', 'TWO'], environment: { TWO: 'own' } };
    expect(await printed('echo ${ONE-unset} $TWO', more)).toBe(
      bench.name === 'bridge/podman' ? 'image own' : 'unset own',
    );
    await images.remove(reference, { force: true });
  });

  proves(['inspectContainer'], 'mounts are listed in the order of their targets', async () => {
    const targets = ['/d', '/b', '/c', '/a'];
    const id = await ended(script('true'), { mounts: targets.map((target) => ({ type: 'volume', target }) as const) });
    for (let look = 0; look < 10; look += 1) {
      const { mounts } = await containers.inspect(id);
      expect(mounts.map(({ target }) => target)).toEqual(['/a', '/b', '/c', '/d']);
    }
    await containers.remove(id, { volumes: true });
  });

  proves(['removeContainer'], 'anonymous volumes are removed with the container if asked to', async () => {
    const before = (await volumes.list()).map(({ name }) => name);
    const id = await ended(script('echo x > /data/file'), { mounts: [{ type: 'volume', target: '/data' }] });
    const made = (await volumes.list()).map(({ name }) => name).filter((name) => !before.includes(name));
    const own = (await containers.inspect(id)).mounts.map(({ source }) => source);
    expect(made).toEqual(expect.arrayContaining(own));
    await containers.remove(id, { volumes: true });
    const left = (await volumes.list()).map(({ name }) => name);
    expect(left.filter((name) => own.includes(name))).toEqual([]);
  });

  proves(
    ['createContainer'],
    'a bind mount shows a host directory, creates it if asked to, and else refuses a missing one',
    async () => {
      const directory = await mkdtemp(join(tmpdir(), 'plt-bind-'));
      try {
        await writeFile(join(directory, 'in.txt'), 'from the host\n');
        const mounts = [{ type: 'bind', source: directory, target: '/host' }] as const;
        expect(await printed('cat /host/in.txt; echo back > /host/out.txt', { mounts })).toBe('from the host');
        expect(await readFile(join(directory, 'out.txt'), 'utf8')).toBe('back\n');
        const source = join(directory, 'not', 'there');
        // Podman's socket makes a missing directory whether it is asked to or not.
        if (bench.name !== 'bridge/podman') {
          const missing = bench.spec(obedient, { mounts: [{ type: 'bind', source, target: '/host' }] });
          const refused = await failure(containers.create(missing).then(({ id }) => containers.start(id)));
          expect(refused.case).toBe(bench.engineFailure);
          // Replies of the REST API leave it out; see `service/failure-replies.ts`.
          expect(JSON.stringify(refused)).toContain(source);
        }
        await printed('true', { mounts: [{ type: 'bind', source, target: '/host', createHostPath: true }] });
        expect(await printed('echo made', { mounts: [{ type: 'bind', source, target: '/host' }] })).toBe('made');
      } finally {
        await rm(directory, { recursive: true });
      }
    },
  );

  proves(['createContainer'], 'a container runs as specified', async () => {
    const seen = await printed(
      [
        'id -u',
        'pwd',
        'hostname',
        'echo $WORD',
        'grep -c " /scratch tmpfs" /proc/mounts',
        'touch /file 2>/dev/null || echo read-only',
        'grep 10.9.8.7 /etc/hosts | head -n 1 | tr "\\t" " "',
        'ulimit -n',
        'cat /proc/sys/net/ipv4/ip_unprivileged_port_start',
        'df -k /dev/shm | tail -n 1 | tr -s " " | cut -d " " -f 2',
        'grep CapEff /proc/self/status',
      ].join('; '),
      {
        user: '1000',
        workingDirectory: '/tmp',
        hostname: 'some-host',
        environment: { WORD: 'two words $HOME "quoted"' },
        mounts: [{ type: 'tmpfs', target: '/scratch', sizeBytes: 1048576 }],
        readOnly: true,
        extraHosts: [{ host: 'other.example', address: '10.9.8.7' }],
        // Both, because Podman's default for the other is more than every machine allows.
        ulimits: { nofile: { soft: 512, hard: 512 }, nproc: { soft: 4096, hard: 4096 } },
        sysctls: { 'net.ipv4.ip_unprivileged_port_start': '80' },
        shmSizeBytes: 2097152,
        capDrop: ['ALL'],
      },
    );
    expect(seen.split('\n')).toEqual([
      '1000',
      '/tmp',
      'some-host',
      'two words $HOME "quoted"',
      '1',
      'read-only',
      '10.9.8.7 other.example',
      '512',
      '80',
      '2048',
      'CapEff:\t0000000000000000',
    ]);
  });

  proves(
    ['createContainer'],
    'an entrypoint precedes the command, and an empty one clears that of the image',
    async () => {
      const entrypoint = ['echo', 'entry'];
      const first = await ended({ command: ['and', 'command'], mock: () => 0 }, { entrypoint });
      expect(texts(await all(containers.logs(first)))).toEqual(['entry and command']);
      const second = await ended({ command: ['echo', 'alone'], mock: () => 0 }, { entrypoint: [] });
      expect(texts(await all(containers.logs(second)))).toEqual(['alone']);
    },
  );

  proves(['createContainer'], 'limits of memory and processes are enforced', async () => {
    const id = await started(obedient, { resources: { memoryBytes: 64 * 1024 * 1024, pids: 50, cpus: 0.5 } });
    expect((await containers.stats(id)).memoryLimitBytes).toBe(64 * 1024 * 1024);
  });

  proves(['createContainer', 'stop'], 'a container is stopped with its stop signal', async () => {
    const id = await started(script('trap "exit 6" USR2; while :; do sleep 0.1; done'), { stopSignal: 'SIGUSR2' });
    // The trap is set before the first output.
    const process = await containers.exec(id, {
      command: ['sh', '-c', 'until grep -q "SigCgt:.*8" /proc/1/status; do :; done'],
    });
    await process.exitCode;
    await containers.stop(id, { timeoutSeconds: 20 });
    expect(await containers.inspect(id)).toMatchObject({ status: 'stopped', exitCode: 6 });
  });

  proves(['putFiles'], 'files are copied into a container before its start, with mode and owner', async () => {
    const id = await created(script('cat /run/secrets/word; stat -c "%a %u" /run/secrets/word'));
    const content = Buffer.from('put there\n');
    await containers.putFiles(id, [{ path: '/run/secrets/word', content, mode: 0o440, uid: 1000 }]);
    await containers.start(id);
    await internal.awaitExit(id, { timeoutSeconds: 30 });
    expect(texts(await all(containers.logs(id)))).toEqual(['put there', '440 1000']);
  });

  proves(['start'], 'a missing command fails the start', async () => {
    const id = await created({ command: ['/opt/hidden/program'], mock: () => 0 });
    const refused = await failure(containers.start(id));
    expect(refused.case).toBe(bench.engineFailure);
  });

  proves(['start'], 'a port in use fails the start', async () => {
    const one = await started(serves, { ports: [{ containerPort: 80, hostAddress: '127.0.0.1' }] });
    const [binding] = await containers.port(one);
    const hostPort = binding?.hostPort ?? 0;
    const two = bench.spec(serves, { ports: [{ containerPort: 80, hostAddress: '127.0.0.1', hostPort }] });
    const refused = await failure(containers.create(two).then(({ id }) => containers.start(id)));
    expect(refused.case).toBe(bench.engineFailure);
  });
}

/** A page over plain HTTP; asks again while the server is coming up, also where a connection is never answered. */
async function fetched(port: number): Promise<string> {
  for (;;) {
    const page = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.end('GET / HTTP/1.0\r\n\r\n'));
      socket.setTimeout(5000, () => socket.destroy());
      let text = '';
      socket.on('data', (data) => (text += data.toString()));
      socket.on('error', () => {
        resolve('');
      });
      socket.on('close', () => {
        resolve(text);
      });
    });
    if (page !== '') return page;
    await setTimeout(100);
  }
}

/**
 * The first three bytes of a range of addresses, at random: engines are tested at the same time on one host, which may
 * still have the bridges of a run that was killed. Engines choose from the lower end, or from elsewhere.
 */
function freeRange(): string {
  return `10.${randomInt(128, 255)}.${randomInt(256)}`;
}
