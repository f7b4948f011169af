/**
 * Podman before 4.4 fails to look at a container in the moment in which its process ends, and to list or inspect
 * images in the moment in which one is removed. It also fails to create a network in the moment in which an interface
 * of the host goes. These moments are too short to be met at will, so the failure is put between us and a real
 * Podman, in its own words.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bridgeBackend } from '../../../src/compose/runtime/bridge/bridge.js';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { nativeBackend } from '../../../src/compose/runtime/native/native.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import { transientStopMarks } from '../../../src/compose/runtime/state.js';
import type { TestEngine } from '../../support/engines.js';
import { onEngine, onSocket } from '../engines/on-engine.js';
import { failure } from './conformance.js';

const PROCESS_ENDED = 'read /proc/16239/cgroup: no such process';
const INTERFACE_GONE = 'route ip+net: no such network interface';
const IMAGE_REMOVED = 'reading image "71c76c1d": locating image with ID "71c76c1d": image not known';

interface Stumbling {
  readonly backend: Backend;
  /** So many of the next looks fail. */
  stumble(times: number): Promise<void>;
  /** How many are still to fail. */
  left(): Promise<number>;
  close(): Promise<void>;
}

/** What stumbles in front of Podman's socket: a query of a container, of images, and the creation of a network. */
const FRAGILE = /\/containers\/\w+\/(json|wait)|\/images\/.*json|\/networks\/create/;

/** A socket in front of Podman's, which fails to inspect containers, to wait for them, to read images, and to create networks. */
async function overSocket(engineSocket: string): Promise<Stumbling> {
  const folder = await mkdtemp(join(tmpdir(), 'plt-ended-'));
  const path = join(folder, 's');
  let left = 0;
  const server = createServer((incoming, outgoing) => {
    const asked = FRAGILE.exec(incoming.url ?? '')?.[0];
    if (left > 0 && asked !== undefined) {
      left -= 1;
      const message =
        asked === '/networks/create' ? INTERFACE_GONE : asked.startsWith('/images/') ? IMAGE_REMOVED : PROCESS_ENDED;
      outgoing.writeHead(500, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ cause: 'no such process', message, response: 500 }));
      return;
    }
    const { method, url, headers } = incoming;
    const forwarded = request({ socketPath: engineSocket, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    backend: bridgeBackend({
      address: { kind: 'socket', path },
      marks: transientStopMarks(),
      clock: systemClock,
      environment: process.env,
    }),
    stumble(times) {
      left = times;
      return Promise.resolve();
    },
    left: () => Promise.resolve(left),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}

/** A command in front of podman, which fails as the socket does. */
async function asCommand(engine: TestEngine): Promise<Stumbling> {
  const [folderOfPodman = ''] = (engine.environment['PATH'] ?? '').split(':');
  const folder = await mkdtemp(join(tmpdir(), 'plt-ended-'));
  const executable = join(folder, 'podman');
  const counter = join(folder, 'left');
  await writeFile(
    executable,
    `#!/bin/sh
failure=
left=$(cat '${counter}')
if [ "$left" -gt 0 ]; then
  case "$1 $2" in
    'container inspect' | wait\\ *) failure='${PROCESS_ENDED}' ;;
    images\\ * | 'image inspect') failure='${IMAGE_REMOVED}' ;;
    'network create') failure='${INTERFACE_GONE}' ;;
  esac
fi
if [ -n "$failure" ]; then
  echo $((left - 1)) >'${counter}'
  echo "Error: $failure" >&2
  exit 125
fi
exec '${join(folderOfPodman, 'podman')}' "$@"
`,
  );
  await chmod(executable, 0o755);
  await writeFile(counter, '0');
  return {
    backend: nativeBackend({
      executable,
      marks: transientStopMarks(),
      clock: systemClock,
      environment: process.env,
    }),
    stumble: (times) => writeFile(counter, String(times)),
    left: async () => Number(await readFile(counter, 'utf8')),
    close: () => rm(folder, { recursive: true }),
  };
}

function looks(
  engine: TestEngine,
  open: () => Promise<Stumbling>,
  failureCase: 'backendFailure' | 'commandFailed',
): void {
  let stumbling: Stumbling;
  beforeAll(async () => {
    stumbling = await open();
  });
  afterAll(() => stumbling.close());

  const started = async (script: string): Promise<string> => {
    const { containers } = engine.backend;
    const { id } = await containers.create({
      name: `plt-ended-${process.pid}-${Math.random().toString(36).slice(2)}`,
      image: engine.image,
      command: ['sh', '-c', script],
      labels: engine.labels,
    });
    await containers.start(id);
    return id;
  };
  const ended = async (): Promise<string> => {
    const id = await started('exit 3');
    await engine.backend.internal.awaitExit(id, { timeoutSeconds: 30 });
    return id;
  };

  it('a query is repeated if the process ends during it', async () => {
    const id = await ended();
    await stumbling.stumble(1);
    expect((await stumbling.backend.containers.inspect(id)).status).toBe('exited');
    expect(await stumbling.left()).toBe(0);
  });

  it('the list includes a container that ends during the query', async () => {
    const id = await ended();
    await stumbling.stumble(1);
    const listed = await stumbling.backend.containers.list({ labels: engine.labels });
    expect(listed.map((container) => container.id)).toContain(id);
    expect(await stumbling.left()).toBe(0);
  });

  it('the images are listed although one is removed during the query', async () => {
    await stumbling.stumble(1);
    const listed = await stumbling.backend.images.list();
    expect(listed.flatMap(({ tags }) => tags)).toContain(engine.image);
    expect(await stumbling.left()).toBe(0);
  });

  it('an image is inspected although another is removed during the query', async () => {
    await stumbling.stumble(1);
    expect((await stumbling.backend.images.inspect(engine.image)).tags).toContain(engine.image);
    expect(await stumbling.left()).toBe(0);
  });

  it('a network is created although an interface of the host goes meanwhile', async () => {
    const name = `plt-ended-${process.pid}-${Math.random().toString(36).slice(2)}`;
    await stumbling.stumble(1);
    const { internal } = stumbling.backend;
    expect((await internal.ensureNetwork({ name, labels: engine.labels })).name).toBe(name);
    expect(await stumbling.left()).toBe(0);
    await internal.networks.remove(name);
  });

  it('a wait resolves if the container ends during the query', async () => {
    const id = await started('sleep 1; exit 3');
    await stumbling.stumble(2);
    const { internal } = stumbling.backend;
    expect((await internal.awaitExit(id, { timeoutSeconds: 30 })).exitCode).toBe(3);
    expect(await stumbling.left()).toBe(0);
  });

  it('the query is given up if the engine keeps failing', async () => {
    const id = await ended();
    await stumbling.stumble(100);
    expect(await failure(stumbling.backend.containers.inspect(id))).toMatchObject({ case: failureCase });
    expect(await stumbling.left()).toBe(96);
    await stumbling.stumble(0);
  });
}

await onSocket('bridge/podman', (engine, socket) => {
  looks(engine, () => overSocket(socket), 'backendFailure');
});
await onEngine('native/podman', [
  (engine) => {
    looks(engine, () => asCommand(engine), 'commandFailed');
  },
]);
