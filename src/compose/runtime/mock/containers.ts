/** Containers of the mock. */
/* eslint-disable @typescript-eslint/require-await -- asynchronous by their interface: what is thrown must reject */
import { channel, type Channel } from '../channel.js';
import { attachedProcess } from '../engine/attached.js';
import type { EngineContainer, EngineContainers, ListedContainer } from '../engine/engine.js';
import { hasLabels } from '../engine/labels.js';
import { alreadyExists, backendFailure, imageNotFound, notFound } from '../errors.js';
import { humanDuration } from '../human-duration.js';
import { qualifyImage } from '../image-reference.js';
import type { CreatedContainer, LogLine, OutputChunk } from '../records.js';
import type { LogOptions } from '../runtime.js';
import type { ContainerSpec, Mount } from '../spec.js';
import { attachedProgram, runProgram } from './process.js';
import { archiveOf, unpack } from './files.js';
import { addImage } from './resources.js';
import { endRun, startRun } from './run.js';
import { change, emit, find, now, recordOf, type MockContainer, type MockState } from './mock-state.js';

export function mockContainers(mockState: MockState): EngineContainers {
  const list: EngineContainers['list'] = async (labels) =>
    [...mockState.containers.values()].map(recordOf).filter((container) => hasLabels(container.labels, labels));

  return {
    create: async (spec) => create(mockState, spec),
    inspect: async (id) => recordOf(find(mockState, id)),
    list,
    // The summaries have the form of Docker's list.
    summaries: async (labels) => (await list(labels)).map((container) => listed(container, mockState.clock.now())),
    async start(id) {
      const container = find(mockState, id);
      if (container.state === 'running') throw backendFailure(`'${id}' is already running.`);
      startRun(mockState, container);
    },
    async startAttached({ id }, stdin, signal) {
      const container = find(mockState, id);
      const output = channel<OutputChunk>({ capacity: Infinity });
      startRun(mockState, container, { stdin, output });
      const exitCode = async (): Promise<number> => {
        while (container.state !== 'ended') await container.change.next(signal);
        return container.exitCode ?? 0;
      };
      return attachedProcess({ output, exitCode, resize: () => Promise.resolve() });
    },
    async stop(id, timeoutSeconds, signal) {
      const container = find(mockState, id);
      container.heldDown = true;
      container.process?.signal(container.spec.stopSignal ?? 'SIGTERM');
      const patience = new AbortController();
      const bound = AbortSignal.any([patience.signal, ...(signal === undefined ? [] : [signal])]);
      const late = mockState.clock.sleep(timeoutSeconds * 1000, bound).then(() => container.process?.signal('SIGKILL'));
      late.catch(() => undefined); // The container ended before the timeout.
      try {
        await untilEnded(container, signal);
      } finally {
        patience.abort();
      }
    },
    async kill(id, signalName) {
      const container = find(mockState, id);
      container.heldDown = true;
      emit(mockState, container, 'killed', { signal: signalName });
      container.process?.signal(signalName);
    },
    async remove(id, { force }) {
      const container = find(mockState, id);
      if (container.state === 'running') {
        if (!force) throw backendFailure(`'${id}' runs.`);
        container.heldDown = true;
        container.process?.signal('SIGKILL');
        endRun(mockState, container, 137);
      }
      mockState.containers.delete(id);
      emit(mockState, container, 'removed');
      container.change.notify();
    },
    async rename(id, name) {
      const container = find(mockState, id);
      if ([...mockState.containers.values()].some((other) => other.spec.name === name)) throw alreadyExists(name);
      container.spec = { ...container.spec, name };
    },
    async untilEnded(id, signal) {
      const container = find(mockState, id);
      await untilEnded(container, signal);
      return container.exitCode;
    },
    logs: async ({ id }, options) => lines(find(mockState, id), options),
    async stats(id) {
      const none = { cpuUsageMicroseconds: 0, memoryUsageBytes: 0, memoryLimitBytes: 0, processes: 1 };
      const idle = { ...none, blockReadBytes: 0, blockWriteBytes: 0, networks: [] };
      return { ...idle, ...find(mockState, id).stats, id, sampledAt: now(mockState) };
    },
    async exec(id, spec) {
      const container = find(mockState, id);
      const { command } = spec;
      const program = mockState.programs({ kind: 'exec', container: container.spec.name, command }) ?? (() => 0);
      const environment = { ...container.spec.environment, ...spec.environment };
      const { output, running } = attachedProgram(program, { command, environment, stdin: spec.stdin });
      return attachedProcess({ output, exitCode: () => running.exit, resize: () => Promise.resolve() });
    },
    async top(id) {
      const { spec } = find(mockState, id);
      const command = [...(spec.entrypoint ?? []), ...(spec.command ?? [])].join(' ');
      return { titles: ['USER', 'PID', 'COMMAND'], processes: [[spec.user ?? 'root', '1', command]] };
    },
    async attach({ id }, { stdin, signal }) {
      const container = find(mockState, id);
      const output = channel<OutputChunk>({ capacity: Infinity });
      if (stdin !== undefined) void drained(stdin);
      void follow(container, output, signal);
      const exitCode = async (): Promise<number> => {
        while (container.state !== 'ended') await container.change.next(signal);
        return container.exitCode ?? 0;
      };
      return attachedProcess({ output, exitCode, resize: () => Promise.resolve() });
    },
    async pause(id) {
      const container = find(mockState, id);
      if (container.paused === true) throw backendFailure(`'${id}' is already paused.`);
      container.paused = true;
    },
    async unpause(id) {
      const container = find(mockState, id);
      if (container.paused !== true) throw backendFailure(`'${id}' is not paused.`);
      delete container.paused;
    },
    getArchive: async (id, path) => archiveOf(find(mockState, id), path),
    async putArchive(id, directory, archive) {
      await unpack(find(mockState, id), directory, archive);
    },
    export: async (id) => archiveOf(find(mockState, id), '/'),
    async commit(id, { reference }) {
      const { spec } = find(mockState, id);
      return addImage(mockState, reference ?? mockState.newId(), spec.labels);
    },
    runHealthcheck: (id) => runHealthcheck(mockState, find(mockState, id)),
  };
}

/** Only running containers can be described without an inspection. */
function listed(container: EngineContainer, now: Date): EngineContainer | ListedContainer {
  const { startedAt, createdAt, state, condition, ...rest } = container;
  if (state !== 'running' || condition !== undefined || startedAt === undefined) return container;
  const uptime = humanDuration(now.getTime() - Date.parse(startedAt));
  return { ...rest, state, uptime, createdAt: `${createdAt.slice(0, 19)}Z` };
}

function create(mockState: MockState, spec: ContainerSpec): CreatedContainer {
  const image = mockState.images.get(qualifyImage(spec.image));
  if (image === undefined) throw imageNotFound(spec.image);
  if ([...mockState.containers.values()].some((other) => other.spec.name === spec.name)) throw alreadyExists(spec.name);
  for (const { network } of spec.networks ?? []) if (!mockState.networks.has(network)) throw notFound(network);
  const id = mockState.newId();
  const mounts = (spec.mounts ?? []).map((mount) => withVolume(mockState, mount));
  const host = mockState.containers.size + 2;
  const networks = [...mockState.networks.keys()];
  const container: MockContainer = {
    id,
    // Like an engine, adds the labels of the image.
    spec: { ...spec, labels: { ...image.labels, ...spec.labels }, ...(spec.mounts && { mounts }) },
    imageId: image.id,
    createdAt: now(mockState),
    state: 'created',
    restartCount: 0,
    heldDown: false,
    ports: [],
    addresses: new Map(
      (spec.networks ?? []).map(({ network, ipv4Address }) => [
        network,
        ipv4Address ?? `10.${networks.indexOf(network)}.${host >> 8}.${host & 255}`,
      ]),
    ),
    log: [],
    archives: [],
    files: new Map(),
    change: change(),
  };
  mockState.containers.set(id, container);
  emit(mockState, container, 'created');
  return { id, warnings: [] };
}

/** Engines create a missing named volume, and generate a name for an anonymous one. */
function withVolume(mockState: MockState, mount: Mount): Mount {
  if (mount.type !== 'volume') return mount;
  const { source = mockState.newId() } = mount;
  if (!mockState.volumes.has(source)) {
    mockState.volumes.set(source, { name: source, driver: 'local', labels: {}, createdAt: now(mockState) });
  }
  return { ...mount, source };
}

async function untilEnded(container: MockContainer, signal: AbortSignal | undefined): Promise<void> {
  while (container.state === 'running') await container.change.next(signal);
}

/** Forwards the output of the container from now on. */
async function follow(
  container: MockContainer,
  output: Channel<OutputChunk>,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    for await (const { stream, line } of lines(container, { follow: true, tail: 0, ...(signal && { signal }) })) {
      await output.push({ stream, data: Buffer.from(`${line}\n`) });
    }
    output.end();
  } catch (error) {
    output.fail(error);
  }
}

/** Processes of the mock that are already running do not read input. */
async function drained(stdin: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of stdin);
}

async function* lines(container: MockContainer, options: LogOptions): AsyncGenerator<LogLine, void> {
  const { since, until, follow = false, signal } = options;
  const wanted = ({ time }: LogLine): boolean =>
    (since === undefined || Date.parse(time) >= since.getTime()) &&
    (until === undefined || Date.parse(time) <= until.getTime());
  const before = container.log.filter(wanted);
  const read = container.log.length;
  yield* options.tail === undefined ? before : before.slice(Math.max(0, before.length - options.tail));
  for (let at = read; follow;) {
    signal?.throwIfAborted();
    const line = container.log[at];
    if (line !== undefined) {
      at++;
      if (wanted(line)) yield line;
    } else if (container.state === 'ended') return;
    else await container.change.next(signal);
  }
}

/**
 * Counts as engines do: `retries` consecutive failures mean unhealthy, and failures in the start period do not count.
 */
async function runHealthcheck(mockState: MockState, container: MockContainer): Promise<void> {
  const { healthcheck, name, environment = {} } = container.spec;
  if (container.health === undefined || healthcheck === undefined) throw backendFailure('There is no health check.');
  const command = healthcheck.test.slice(1);
  const program = mockState.programs({ kind: 'healthcheck', container: name, command }) ?? (() => 0);
  let output = '';
  const run = runProgram(program, { command, environment, write: (_stream, text) => (output += text) });
  const failed = (await run.exit) !== 0;
  const age = mockState.clock.now().getTime() - Date.parse(container.startedAt ?? now(mockState));
  const free = container.health.status === 'starting' && age < (healthcheck.startPeriodMs ?? 0);
  const failingStreak = failed && !free ? container.health.failingStreak + 1 : 0;
  const before = container.health.status;
  const status = !failed ? 'healthy' : failingStreak >= (healthcheck.retries ?? 3) ? 'unhealthy' : before;
  container.health = { status, failingStreak, checkedAt: now(mockState), ...(output !== '' && { output }) };
  if (status !== before) emit(mockState, container, 'health', { health: status });
}
