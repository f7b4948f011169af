/** Selects the backend from the user's choice, or by what is installed. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { addressText } from './bridge/address.js';
import { configuredEngine, type ConfiguredEngine } from './bridge/docker-context.js';
import { systemClock, type Clock } from './clock.js';
import { backendFailure, commandFailed, type Conformer } from './errors.js';
import type { Backend } from './runtime.js';
import { durableStopMarks, type StopMarks } from './state.js';

/** An unknown backend name: a usage error, not a runtime failure. */
export class UnknownBackendError extends Error {
  constructor(name: string) {
    super(`'${name}' is not a backend: use ${conformers.join(', ')}.`);
    this.name = 'UnknownBackendError';
  }
}

/** `--context` with a backend that has no contexts: a usage error. */
export class BackendConflictError extends Error {
  override readonly name = 'BackendConflictError';
  constructor() {
    super('--context names an engine of the bridge backend; --backend native does not use it.');
  }
}

export interface BackendChoice {
  /** The value of `--backend`; takes precedence over COMPOSE_BACKEND. */
  readonly backend?: string;
  /** The value of `--context`: a Docker context. */
  readonly context?: string;
  /**
   * Uses COMPOSE_BACKEND; DOCKER_HOST, DOCKER_TLS_VERIFY, DOCKER_CERT_PATH, DOCKER_CONTEXT and DOCKER_CONFIG for the
   * bridge; PATH for podman; PLUMBLINE_HOME, else XDG_STATE_HOME, else HOME for stop marks.
   */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /** Sockets to try if DOCKER_HOST is not set; injected by tests. */
  readonly sockets?: readonly string[];
}

const conformers: readonly Conformer[] = ['mock', 'bridge', 'native', 'swarm'];

/** The engine that runs the commands. */
export interface ChosenEngine {
  readonly conformer: Conformer;
  /** The address or program, for messages. */
  readonly place: string;
  /** Why this engine was chosen, for messages. */
  readonly source: string;
  /** What its user should know before a command runs on it. */
  readonly warning?: string;
  open(): Promise<Backend>;
  /**
   * Opens it for one command of its user, which must see the changes of earlier commands and may run the user's
   * programs. Absent: as `open`.
   */
  readonly openForCommand?: () => Promise<Backend>;
}

/** Opens the engine of `chooseEngine`. */
export async function selectBackend(choice: BackendChoice): Promise<Backend> {
  return (await chooseEngine(choice)).open();
}

/**
 * Chooses the named backend. Otherwise chooses the bridge if an engine is configured (`--context`, DOCKER_HOST,
 * DOCKER_CONTEXT, Docker's current context) or listens on a usual socket, else native if podman is installed. A
 * configured engine that does not respond is a failure; no other is tried.
 *
 * @throws UnknownBackendError for an unknown name
 * @throws RuntimeError.backendFailure (for native TerminalError.commandFailed), naming what to install, when the named
 * backend, or any, is unavailable
 */
export async function chooseEngine(choice: BackendChoice): Promise<ChosenEngine> {
  const { environment, clock = systemClock } = choice;
  const name = choice.backend ?? (environment.COMPOSE_BACKEND || undefined);
  const by = choice.backend === undefined ? 'COMPOSE_BACKEND' : '--backend';
  const parts = { environment, clock, marks: durableStopMarks(marksDirectory(environment)) };
  const sockets = choice.sockets ?? usualSockets(environment);
  switch (name) {
    case 'mock':
      return {
        conformer: 'mock',
        place: 'in memory',
        source: by,
        open: async () => (await import('./mock/mock.js')).mockBackend({ clock }).backend,
        openForCommand: async () => {
          const file = join(dirname(marksDirectory(environment)), 'mock.json');
          return (await import('./mock/mock.js')).mockBackend({ clock, file, marks: parts.marks }).backend;
        },
      };
    case 'bridge':
    case 'swarm':
      return (
        (await bridge(parts, choice.context, sockets, name)) ??
        missing(backendFailure(`No container engine is listening. ${installBridge}`))
      );
    case 'native':
      if (choice.context !== undefined) throw new BackendConflictError();
      return (await native(parts, by)) ?? missing(commandFailed(`Podman is not on the PATH. ${installNative}`));
    case undefined:
      return (
        (await bridge(parts, choice.context, sockets)) ??
        (await native(parts, 'no engine listens, and podman is on the PATH')) ??
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

// Loaded on demand: a command that prints its help must not wait for an engine's client library.

async function bridge(
  parts: Parts,
  context: string | undefined,
  sockets: readonly string[],
  conformer: 'bridge' | 'swarm' = 'bridge',
): Promise<ChosenEngine | undefined> {
  const engine = (await configuredEngine(context, parts.environment)) ?? (await listeningEngine(sockets));
  if (engine === undefined) return undefined;
  const { address, source } = engine;
  const place = addressText(address);
  const open = async (mayRunBuildx: boolean): Promise<Backend> => {
    if (source.startsWith('context ')) await requireAnswer(engine);
    const opened = { ...parts, address };
    if (conformer === 'swarm') return (await import('./swarm/swarm.js')).swarmBackend(opened);
    return (await import('./bridge/bridge.js')).bridgeBackend({ ...opened, mayRunBuildx });
  };
  const warning = warningOf(engine);
  return {
    ...{ conformer, place, source },
    ...(warning !== undefined && { warning }),
    open: () => open(false),
    openForCommand: () => open(true),
  };
}

function warningOf({ address, source }: ConfiguredEngine): string | undefined {
  if (address.kind !== 'tcp' || address.tls?.isUnverified !== true) return undefined;
  return (
    `The certificate of the engine of ${source} is not verified (SkipTLSVerify): ` +
    'another machine can pose as the engine.'
  );
}

/** Checks the engine here, because the error of a later call could not name the context. */
async function requireAnswer({ address, source }: ConfiguredEngine): Promise<void> {
  // ssh says itself what is wrong.
  if (address.kind === 'ssh') return;
  const target = address.kind === 'socket' ? { path: address.path } : { host: address.host, port: address.port };
  if (await listens(target)) return;
  throw backendFailure(
    `The engine of ${source}, ${addressText(address)}, does not respond. Start it, or use another: ` +
      '--context default is the local engine.',
  );
}

async function native(parts: Parts, source: string): Promise<ChosenEngine | undefined> {
  const executable = await findPodman(parts.environment);
  if (executable === undefined) return undefined;
  return {
    conformer: 'native',
    place: executable,
    source,
    open: async () => (await import('./native/native.js')).nativeBackend({ ...parts, executable }),
  };
}

function missing(failure: Error): never {
  throw failure;
}

const installBridge =
  'Install Docker Engine (Debian: apt-get install docker.io) and start it, or name its socket in DOCKER_HOST.';
const installNative = 'Install Podman, which needs no service (Debian: apt-get install podman netavark aardvark-dns).';

/**
 * Marks belong to an engine's containers, not to a working directory: a container must have the same status from every
 * directory. So they are stored in PLUMBLINE_HOME only if it is set.
 */
export function marksDirectory(environment: NodeJS.ProcessEnv): string {
  if (environment.PLUMBLINE_HOME) return join(environment.PLUMBLINE_HOME, 'compose', 'stops');
  const state = environment.XDG_STATE_HOME;
  const base = state && isAbsolute(state) ? state : join(environment.HOME ?? homedir(), '.local', 'state');
  return join(base, 'plumbline', 'compose', 'stops');
}

/** A usual socket counts only if a process listens on it. */
async function listeningEngine(sockets: readonly string[]): Promise<ConfiguredEngine | undefined> {
  for (const path of sockets) {
    if (await listens({ path })) return { address: { kind: 'socket', path }, source: 'found on this machine' };
  }
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

/** A crashed engine leaves its socket file behind, so the existence of the file proves nothing. */
function listens(target: { path: string } | { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(target);
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
