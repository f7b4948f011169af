/**
 * The container engines of this machine, for tests that want real containers.
 *
 * PLUMBLINE_TEST_DOCKER_HOST  a Docker Engine (default: /var/run/docker.sock, if Docker answers there)
 * PLUMBLINE_TEST_DOCKER_CURRENT_HOST  a current Docker Engine, which `.ci/docker-engine` builds and starts
 * PLUMBLINE_TEST_PODMAN_HOST  Podman's compatible socket (default: /run/podman/podman.sock)
 * PLUMBLINE_TEST_PODMAN       the podman command (default: the one on the PATH)
 * TEST_BUILDX                 docker-buildx, with which Docker builds (default: Docker builds without BuildKit)
 *
 * `.ci/engines` starts all three and prints the settings. What is missing is skipped, with the reason. Nothing is
 * pulled: the image is made of the machine's static busybox. All that tests make carries `TEST_LABEL`, by which
 * `clean` removes it, together with what a run that was killed has left.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { isAlive } from '../../src/contract/system/is-alive.js';
import { engineAddress, type EngineAddress } from '../../src/compose/runtime/bridge/address.js';
import { bridgeBackend } from '../../src/compose/runtime/bridge/bridge.js';
import { systemClock } from '../../src/compose/runtime/clock.js';
import { isRuntimeError } from '../../src/compose/runtime/errors.js';
import { objectOf, objectsOf, textOf } from '../../src/compose/runtime/json.js';
import { nativeBackend } from '../../src/compose/runtime/native/native.js';
import type { Backend } from '../../src/compose/runtime/runtime.js';
import { durableStopMarks, type StopMarks } from '../../src/compose/runtime/state.js';
import { tarOf } from '../../src/compose/runtime/tar.js';

const run = promisify(execFile);

export const TEST_LABEL = 'plumbline.test';

export interface TestEngine {
  readonly name: 'bridge/docker' | 'bridge/docker-current' | 'bridge/podman' | 'native/podman';
  /** What builds images, unless it is Podman itself. */
  readonly builder: 'classic' | 'buildx';
  /** An image with busybox and nothing else. */
  readonly image: string;
  /** To be put on everything that is made. */
  readonly labels: Readonly<Record<string, string>>;
  readonly backend: Backend;
  /** With these variables, a command in a separate process finds the same engine. */
  readonly environment: Readonly<Record<string, string>>;
  /** The same engine as another process would open it, with these marks of stops. */
  open(marks: StopMarks): Backend;
  /** Removes all that carries this run's label, and the image. */
  clean(): Promise<void>;
}

export interface MissingEngine {
  readonly name: TestEngine['name'];
  readonly reason: string;
}

export const engineNames: readonly TestEngine['name'][] = ['bridge/docker', 'bridge/podman', 'native/podman'];

/** One engine with the image in it, or why it is not available. */
export async function testEngine(name: TestEngine['name']): Promise<TestEngine | MissingEngine> {
  const candidate = await candidates[name]();
  if (typeof candidate === 'string') return { name, reason: candidate };
  const busybox = await staticBusybox();
  if (busybox === undefined) return { name, reason: NO_BUSYBOX };
  return prepared(name, candidate, busybox);
}

/** The plug-in docker-buildx of TEST_BUILDX; `.ci/buildx` builds one. */
export const buildx = process.env.TEST_BUILDX;

/** A Docker Engine that a test has started, with the image in it. */
export async function dockerEngineAt(host: string): Promise<TestEngine> {
  const busybox = await staticBusybox();
  if (busybox === undefined) throw new Error(NO_BUSYBOX);
  return prepared('bridge/docker', overSocket(await engineAddress(host, {}), host), busybox);
}

const NO_BUSYBOX = 'no static busybox (Debian: busybox-static)';

const candidates: Readonly<Record<TestEngine['name'], () => Promise<Candidate | string>>> = {
  'bridge/docker': docker,
  'bridge/docker-current': currentDocker,
  'bridge/podman': podmanSocket,
  'native/podman': podman,
};

/**
 * Imports the image of tests into an engine.
 *
 * @returns false if this machine has no static busybox
 */
export async function importTestImage(socket: string, name: string): Promise<boolean> {
  const busybox = await staticBusybox();
  if (busybox === undefined) return false;
  const engine = overSocket({ kind: 'socket', path: socket }, `unix://${socket}`);
  await engine.importImage(await imageArchive(busybox), name, `${TEST_LABEL}=${process.pid}`);
  return true;
}

interface Candidate {
  readonly environment: Readonly<Record<string, string>>;
  open(marks: StopMarks): Backend;
  importImage(archive: Buffer, name: string, label: string): Promise<void>;
}

async function docker(): Promise<Candidate | string> {
  const host = process.env.PLUMBLINE_TEST_DOCKER_HOST;
  if (host !== undefined) return overSocket(await engineAddress(host, process.env), host);
  const path = '/var/run/docker.sock';
  const components = await answering(path);
  if (components === undefined) return `no engine answers on ${path}, and PLUMBLINE_TEST_DOCKER_HOST is not set`;
  return components.includes('Podman') ? `${path} is Podman's` : overSocket({ kind: 'socket', path }, `unix://${path}`);
}

async function currentDocker(): Promise<Candidate | string> {
  const host = process.env.PLUMBLINE_TEST_DOCKER_CURRENT_HOST;
  if (host === undefined)
    return 'PLUMBLINE_TEST_DOCKER_CURRENT_HOST is not set (.ci/docker-engine builds such an engine)';
  return overSocket(await engineAddress(host, {}), host);
}

async function podmanSocket(): Promise<Candidate | string> {
  const host = process.env.PLUMBLINE_TEST_PODMAN_HOST;
  if (host !== undefined) return overSocket(await engineAddress(host, process.env), host);
  const path = '/run/podman/podman.sock';
  if ((await answering(path)) !== undefined) return overSocket({ kind: 'socket', path }, `unix://${path}`);
  return `no engine answers on ${path}, and PLUMBLINE_TEST_PODMAN_HOST is not set`;
}

/** One that is named must work; one that merely lies on the PATH may be of no use here, and is tried. */
async function podman(): Promise<Candidate | string> {
  const named = process.env.PLUMBLINE_TEST_PODMAN;
  const executable = named ?? (await onPath('podman'));
  if (executable === undefined) return 'no podman on the PATH, and PLUMBLINE_TEST_PODMAN is not set';
  const candidate: Candidate = {
    environment: {
      COMPOSE_BACKEND: 'native',
      PATH: [dirname(executable), process.env.PATH ?? ''].join(delimiter),
    },
    open: (marks) => nativeBackend({ executable, marks, clock: systemClock, environment: process.env }),
    importImage: (archive, name, label) =>
      inFile(archive, async (path) => {
        await run(executable, ['import', '--change', `LABEL=${label}`, path, name]);
      }),
  };
  if (named !== undefined) return candidate;
  const works = await succeeds(run(executable, ['info']));
  if (!works) return 'the podman on the PATH does not work here (podman info fails)';
  const busybox = await staticBusybox();
  if (busybox === undefined) return candidate;
  const probe = `localhost/plumbline-probe:${randomBytes(4).toString('hex')}`;
  try {
    await candidate.importImage(await imageArchive(busybox), probe, `${TEST_LABEL}=probe`);
    await run(executable, ['run', '--rm', '--pull=never', probe, 'true']);
    return candidate;
  } catch {
    return 'the podman on the PATH cannot run a container here; PLUMBLINE_TEST_PODMAN can name one that does';
  } finally {
    await run(executable, ['rmi', '--force', probe]).catch(() => undefined);
  }
}

/** Builds use TEST_BUILDX if it is set, and no other that is installed. */
function overSocket(address: EngineAddress, host: string): Candidate {
  const PATH = [...(buildx === undefined ? [] : [dirname(buildx)]), process.env.PATH ?? ''].join(delimiter);
  const mayRunBuildx = buildx !== undefined;
  return {
    environment: { COMPOSE_BACKEND: 'bridge', DOCKER_HOST: host, PATH },
    open: (marks) =>
      bridgeBackend({ address, marks, clock: systemClock, environment: { ...process.env, PATH }, mayRunBuildx }),
    async importImage(archive, name, label) {
      const [repo = name, tag = 'latest'] = name.split(/:(?=[^:]*$)/);
      const engine =
        address.kind === 'socket'
          ? new Docker({ socketPath: address.path, host: undefined })
          : new Docker({ host: address.host, port: address.port });
      // A path, because the modem would send a buffer without its length.
      await inFile(archive, async (path) => {
        const stream = await engine.importImage(path, { repo, tag, changes: `LABEL ${label}` });
        for await (const line of stream) {
          if (String(line).includes('"error"')) throw new Error(`import failed: ${String(line)}`);
        }
      });
    },
  };
}

async function prepared(name: TestEngine['name'], candidate: Candidate, busybox: string): Promise<TestEngine> {
  const state = await mkdtemp(join(tmpdir(), 'plumbline-stops-'));
  const backend = candidate.open(durableStopMarks(state));
  const id = `${process.pid}-${randomBytes(4).toString('hex')}`;
  // The id is in the name, because Podman's socket tags whatever it imports with `latest`.
  const image = `localhost/plumbline-test-${id}:latest`;
  await sweep(backend);
  await candidate.importImage(await imageArchive(busybox), image, `${TEST_LABEL}=${id}`);
  return {
    name,
    builder: name.startsWith('bridge/docker') && buildx !== undefined ? 'buildx' : 'classic',
    image,
    labels: { [TEST_LABEL]: id },
    environment: candidate.environment,
    backend,
    open: candidate.open,
    async clean() {
      await removeLabelled(backend, id);
      await rm(state, { recursive: true, force: true });
    },
  };
}

/** What runs of processes that have ended left behind. */
async function sweep(backend: Backend): Promise<void> {
  const labelled = { labels: { [TEST_LABEL]: '' } };
  const all = [
    ...(await backend.containers.list(labelled)),
    ...(await backend.internal.networks.list(labelled)),
    ...(await backend.volumes.list(labelled)),
    ...(await backend.images.list(labelled)),
  ];
  const ids = new Set(all.map(({ labels }) => labels[TEST_LABEL] ?? ''));
  for (const id of ids) if (!isAlive(Number.parseInt(id, 10))) await removeLabelled(backend, id);
}

async function removeLabelled(backend: Backend, id: string): Promise<void> {
  const labelled = { labels: { [TEST_LABEL]: id } };
  // Newest first: one that shares another's network goes before it.
  for (const container of [...(await backend.containers.list(labelled))].reverse()) {
    await gone(backend.containers.remove(container.id, { force: true, volumes: true }));
  }
  for (const network of await backend.internal.networks.list(labelled)) {
    await gone(backend.internal.networks.remove(network.name));
  }
  for (const volume of await backend.volumes.list(labelled)) await gone(backend.volumes.remove(volume.name));
  const images = await backend.images.list(labelled);
  // An engine keeps an image that another one was built from, so the rest goes first.
  const bases: (typeof images)[number][] = [];
  const removal = (id: string): Promise<void> => gone(backend.images.remove(id, { force: true }));
  for (const image of images) await removal(image.id).catch(() => bases.push(image));
  for (const image of bases) await removal(image.id);
}

async function gone(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!isRuntimeError(error, 'notFound') && !isRuntimeError(error, 'imageNotFound')) throw error;
  }
}

async function answering(socketPath: string): Promise<string | undefined> {
  try {
    await access(socketPath);
    const version = await new Docker({ socketPath, host: undefined }).version();
    return objectsOf(objectOf(version).Components)
      .map(({ Name }) => textOf(Name))
      .join(' ');
  } catch {
    return undefined;
  }
}

async function staticBusybox(): Promise<string | undefined> {
  for (const path of ['/bin/busybox', '/usr/bin/busybox', '/bin/busybox-static']) {
    // A dynamic one names its loader, which the image would lack.
    const content = await readFile(path, 'latin1').catch(() => undefined);
    if (content !== undefined && !content.slice(0, 4096).includes('/ld-')) return path;
  }
  return undefined;
}

async function imageArchive(busybox: string): Promise<Buffer> {
  const { stdout } = await run(busybox, ['--list']);
  const content = await readFile(busybox);
  const directory = (path: string, mode = 0o755) =>
    ({ entry: { path, type: 'directory', size: 0, mode }, content: none }) as const;
  const none = new Uint8Array();
  const accounts = Buffer.from('root:x:0:0:root:/:/bin/sh\nguest:x:1000:1000:guest:/tmp:/bin/sh\n');
  const applets = stdout.split('\n').filter((applet) => /^[\w[.-]+$/.test(applet) && applet !== 'busybox');
  return tarOf([
    directory('bin'),
    directory('etc'),
    directory('tmp', 0o1777),
    { entry: { path: 'etc/passwd', type: 'file', size: accounts.length, mode: 0o644 }, content: accounts },
    { entry: { path: 'bin/busybox', type: 'file', size: content.length, mode: 0o755 }, content },
    ...applets.map(
      (applet) =>
        ({
          entry: { path: `bin/${applet}`, type: 'symlink', size: 0, mode: 0o777, target: 'busybox' },
          content: none,
        }) as const,
    ),
  ]);
}

async function inFile(content: Buffer, use: (path: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'plumbline-image-'));
  try {
    const path = join(directory, 'image.tar');
    await writeFile(path, content);
    await use(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function onPath(name: string): Promise<string | undefined> {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(directory, name);
    if (await succeeds(access(path))) return path;
  }
  return undefined;
}

function succeeds(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => true,
    () => false,
  );
}
