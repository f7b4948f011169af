/** Chooses the backend: as the user says, else as the machine has it. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { engineAddress } from './bridge/address.js';
import { systemClock, type Clock } from './clock.js';
import { backendFailure, commandFailed, type Conformer } from './errors.js';
import type { Backend } from './runtime.js';
import { durableStopMarks, type StopMarks } from './state.js';

/** A backend name that is none: wrong usage, not a failure of a runtime. */
export class UnknownBackendError extends Error {
  constructor(name: string) {
    super(`'${name}' is not a backend: use ${conformers.join(', ')}.`);
    this.name = 'UnknownBackendError';
  }
}

export interface BackendChoice {
  /** Of `--backend`; it goes before COMPOSE_BACKEND. */
  readonly backend?: string;
  /**
   * COMPOSE_BACKEND; DOCKER_HOST, DOCKER_TLS_VERIFY and DOCKER_CERT_PATH for the bridge; PATH for podman;
   * PLUMBLINE_HOME, else XDG_STATE_HOME, else HOME for the marks of stops.
   */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /** Where engines are looked for if DOCKER_HOST does not say; given by tests. */
  readonly sockets?: readonly string[];
}

const conformers: readonly Conformer[] = ['mock', 'bridge', 'native'];

/**
 * The named backend, else the bridge where an engine listens (DOCKER_HOST, then the usual sockets), else native
 * where podman is installed.
 *
 * @throws UnknownBackendError for another name
 * @throws RuntimeError.backendFailure, for native TerminalError.commandFailed, saying what to install, when the named
 *   one, or any, is not to be had
 */
export async function selectBackend(choice: BackendChoice): Promise<Backend> {
  const { environment, clock = systemClock } = choice;
  const name = choice.backend ?? (environment.COMPOSE_BACKEND || undefined);
  const parts = { environment, clock, marks: durableStopMarks(marksDirectory(environment)) };
  const sockets = choice.sockets ?? usualSockets(environment);
  switch (name) {
    case 'mock':
      return (await import('./mock/mock.js')).mockBackend({ clock }).backend;
    case 'bridge':
      return (await bridge(parts, sockets)) ?? missing(backendFailure(`No container engine listens. ${installBridge}`));
    case 'native':
      return (await native(parts)) ?? missing(commandFailed(`Podman is not on the PATH. ${installNative}`));
    case undefined:
      return (
        (await bridge(parts, sockets)) ??
        (await native(parts)) ??
        missing(backendFailure(`No container engine was found. ${installBridge} Or: ${installNative}`))
      );
    default:
      throw new UnknownBackendError(name);
  }
}

interface Parts {
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly marks: StopMarks;
}

// Loaded when chosen: a command that prints its help must not wait for an engine's client library.

async function bridge(parts: Parts, sockets: readonly string[]): Promise<Backend | undefined> {
  const host = await engineHost(parts.environment, sockets);
  if (host === undefined) return undefined;
  const address = await engineAddress(host, parts.environment);
  return (await import('./bridge/bridge.js')).bridgeBackend({ ...parts, address });
}

async function native(parts: Parts): Promise<Backend | undefined> {
  const executable = await findPodman(parts.environment);
  if (executable === undefined) return undefined;
  return (await import('./native/native.js')).nativeBackend({ ...parts, executable });
}

function missing(failure: Error): never {
  throw failure;
}

const installBridge =
  'Install Docker Engine (Debian: apt-get install docker.io) and start it, or name its socket in DOCKER_HOST.';
const installNative = 'Install Podman, which needs no service (Debian: apt-get install podman netavark aardvark-dns).';

/**
 * The marks are about an engine's containers, not about a working directory: from another directory the same
 * container must have the same status. So they follow PLUMBLINE_HOME only where it is set.
 */
export function marksDirectory(environment: NodeJS.ProcessEnv): string {
  if (environment.PLUMBLINE_HOME) return join(environment.PLUMBLINE_HOME, 'compose', 'stops');
  const state = environment.XDG_STATE_HOME;
  const base = state && isAbsolute(state) ? state : join(environment.HOME ?? homedir(), '.local', 'state');
  return join(base, 'plumbline', 'compose', 'stops');
}

/** DOCKER_HOST is taken at its word; a usual socket only if somebody listens behind it. */
async function engineHost(environment: NodeJS.ProcessEnv, sockets: readonly string[]): Promise<string | undefined> {
  if (environment.DOCKER_HOST) return environment.DOCKER_HOST;
  for (const socket of sockets) if (await listens(socket)) return `unix://${socket}`;
  return undefined;
}

function usualSockets(environment: NodeJS.ProcessEnv): string[] {
  const home = environment.HOME ?? homedir();
  const runtime = environment.XDG_RUNTIME_DIR;
  return [
    '/var/run/docker.sock',
    ...(runtime ? [join(runtime, 'docker.sock')] : []),
    join(home, '.docker', 'run', 'docker.sock'),
    '/run/podman/podman.sock',
    ...(runtime ? [join(runtime, 'podman', 'podman.sock')] : []),
  ];
}

/** An engine that ended badly leaves its socket behind, so the file alone proves nothing. */
function listens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

async function findPodman(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const directory of (environment.PATH ?? '').split(delimiter)) {
    if (directory === '') continue;
    const path = join(directory, 'podman');
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return path;
  }
  return undefined;
}
