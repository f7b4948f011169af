/** A swarm of three engines on this machine, started by `.ci/swarm`. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isAlive } from '../../src/contract/system/is-alive.js';
import { importTestImage } from './engines.js';

const run = promisify(execFile);
const script = join(import.meta.dirname, '../../.ci/swarm');
const PREFIX = 'plsw-';

/** With busybox and nothing else. */
export const SWARM_IMAGE = 'localhost/plumbline-swarm:1';

export interface TestSwarm {
  /** The address of an engine for DOCKER_HOST. The first one is the manager, 2 and 3 are workers. */
  host(engine: 1 | 2 | 3): string;
  /** The output of the Docker command on an engine. */
  docker(engine: 1 | 2 | 3, ...args: string[]): Promise<string>;
  /** Ends an engine and its containers with SIGKILL. */
  kill(engine: 2 | 3): Promise<void>;
  stop(): Promise<void>;
}

/** Why there can be no swarm here; undefined if there can. */
export async function swarmIsMissing(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'a swarm of network namespaces needs root';
  if (process.env['PLUMBLINE_TEST_DOCKER_HOST'] === undefined) {
    return 'PLUMBLINE_TEST_DOCKER_HOST is not set, so it is not known that engines run on this machine';
  }
  for (const program of ['dockerd', 'docker', 'ip', 'nsenter', 'unshare', 'curl']) {
    if (!(await succeeds(run('sh', ['-c', `command -v ${program}`])))) return `there is no ${program} on the PATH`;
  }
  const probe = `plsw-probe-${process.pid}`;
  const hasNamespaces = await succeeds(run('ip', ['netns', 'add', probe]));
  await run('ip', ['netns', 'delete', probe]).catch(() => undefined);
  return hasNamespaces ? undefined : 'this machine cannot make network namespaces';
}

/** All engines have the image of tests. */
export async function startSwarm(count: 1 | 3 = 3): Promise<TestSwarm> {
  await endKilledRuns();
  // The process is in the name, so that a later run knows whether it is still in use.
  const directory = await mkdtemp(`/tmp/${PREFIX}${process.pid}-`);
  const socket = (engine: number): string => join(directory, `${engine}.sock`);
  const docker = async (engine: number, ...args: string[]): Promise<string> =>
    (await run('docker', ['--host', `unix://${socket(engine)}`, ...args])).stdout.trim();
  await run(script, ['start', directory, String(count)]);
  const engines = Array.from({ length: count }, (_, index) => index + 1);
  const imported = await Promise.all(engines.map((engine) => importTestImage(socket(engine), SWARM_IMAGE)));
  if (imported.includes(false)) throw new Error('no static busybox (Debian: busybox-static)');
  return {
    host: (engine) => `unix://${socket(engine)}`,
    docker,
    kill: async (engine) => {
      await run(script, ['kill', directory, String(engine)]);
    },
    stop: async () => {
      await run(script, ['stop', directory]);
    },
  };
}

async function endKilledRuns(): Promise<void> {
  for (const name of await readdir('/tmp')) {
    if (!name.startsWith(PREFIX) || isAlive(Number.parseInt(name.slice(PREFIX.length), 10))) continue;
    const directory = join('/tmp', name);
    await run(script, ['stop', directory]).catch(() => rm(directory, { recursive: true, force: true }));
  }
}

function succeeds(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => true,
    () => false,
  );
}
