/**
 * The mock backend: keeps everything in memory or in a file, and supports every operation including secrets. For tests,
 * trials and `serve --backend mock`. It uses the same lifecycle as the engines (engine/backend.ts), so tests against
 * it apply to them. With an injected clock and ids, its results are deterministic.
 */
/* eslint-disable @typescript-eslint/require-await -- asynchronous by their interface: what is thrown must reject */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.js';
import { engineBackend } from '../engine/backend.js';
import type { Engine, EngineEvent, EngineEventOptions, EngineSystem } from '../engine/engine.js';
import { hasLabels } from '../engine/labels.js';
import { backendFailure } from '../errors.js';
import type { HealthStatus, OutputStream, RuntimeVersion, StatsSample } from '../records.js';
import type { Backend } from '../runtime.js';
import { transientStopMarks, type StopMarks } from '../state.js';
import { mockContainers } from './containers.js';
import { withFaults, type Faults } from './faults.js';
import { guarded } from './guarded.js';
import { keepIn } from './state-file.js';
import type { MockPrograms } from './process.js';
import { addImage, mockImages, mockNetworks, mockSecrets, mockVolumes } from './resources.js';
import { endRun } from './run.js';
import { change, emit, find, now, type MockState } from './mock-state.js';

export interface MockParts {
  readonly clock: Clock;
  /** Returns 64 hexadecimal digits, different each time. Absent: random. */
  readonly newId?: () => string;
  /** The behaviour of commands. Absent: services run until stopped; execs and health checks succeed. */
  readonly programs?: MockPrograms;
  /** Images that exist initially. */
  readonly images?: readonly string[];
  /** Which images can be pulled. Absent: all. */
  readonly pullable?: (reference: string) => boolean;
  /** Absent: in memory. */
  readonly marks?: StopMarks;
  /** The file that keeps the state. Absent: the state lasts as long as the process. */
  readonly file?: string;
}

export interface Mock {
  readonly backend: Backend;
  readonly faults: Faults;
  readonly control: MockControl;
}

/** Simulates changes outside the backend, for tests. Containers are named by id or name. */
export interface MockControl {
  addImage(reference: string): void;
  /** Ends the container's process. */
  exit(container: string, exitCode: number): void;
  /** Prints a line from the container's process. */
  log(container: string, stream: OutputStream, line: string): void;
  setHealth(container: string, status: HealthStatus): void;
  setStats(container: string, stats: Partial<StatsSample>): void;
  /** Ends the container as the kernel's OOM killer does. */
  runOutOfMemory(container: string): void;
  /** Removes the container as another client does. */
  vanish(container: string): void;
  /** The tar archives put into the container, oldest first. */
  archives(container: string): readonly Uint8Array[];
  /** A secret's value, which no operation returns. */
  secretValue(name: string): Uint8Array | undefined;
}

export function mockBackend(parts: MockParts): Mock {
  const mockState: MockState = {
    clock: parts.clock,
    newId: parts.newId ?? (() => randomBytes(32).toString('hex')),
    programs: parts.programs ?? (() => undefined),
    containers: new Map(),
    images: new Map(),
    volumes: new Map(),
    networks: new Map(),
    secrets: new Map(),
    events: [],
    happened: change(),
  };
  for (const reference of parts.images ?? []) addImage(mockState, reference);
  const engine: Engine = {
    conformer: 'mock',
    place: 'mock',
    refuses: { wait: false, networks: false },
    system: mockSystem(mockState),
    containers: mockContainers(mockState),
    images: mockImages(mockState, parts.pullable ?? (() => true)),
    volumes: mockVolumes(mockState),
    networks: mockNetworks(mockState),
    secrets: mockSecrets(mockState),
  };
  const backend = engineBackend({
    engine: parts.file === undefined ? engine : guarded(engine, keepIn(parts.file, mockState)),
    marks: parts.marks ?? transientStopMarks(),
    clock: parts.clock,
  });
  return { ...withFaults(backend), control: mockControl(mockState) };
}

function mockControl(mockState: MockState): MockControl {
  return {
    addImage: (reference) => void addImage(mockState, reference),
    exit(id, exitCode) {
      const container = find(mockState, id);
      if (container.state !== 'running') throw backendFailure(`'${id}' is not running.`);
      endRun(mockState, container, exitCode);
    },
    log(id, stream, line) {
      const container = find(mockState, id);
      container.log.push({ stream, line, time: now(mockState) });
      container.change.notify();
    },
    setHealth(id, status) {
      const container = find(mockState, id);
      container.health = { status, failingStreak: 0, checkedAt: now(mockState) };
      emit(mockState, container, 'health', { health: status });
    },
    setStats: (id, stats) => void (find(mockState, id).stats = stats),
    runOutOfMemory(id) {
      const container = find(mockState, id);
      emit(mockState, container, 'oomKilled');
      container.process?.signal('SIGKILL');
    },
    vanish(id) {
      const container = find(mockState, id);
      container.heldDown = true;
      container.process?.signal('SIGKILL');
      if (container.state === 'running') endRun(mockState, container, 137);
      mockState.containers.delete(container.id);
      emit(mockState, container, 'removed');
    },
    archives: (id) => find(mockState, id).archives,
    secretValue: (name) => mockState.secrets.get(name)?.value,
  };
}

const version: RuntimeVersion = {
  engine: 'mock',
  version: '1.0.0',
  apiVersion: '1.0',
  os: 'linux',
  architecture: 'amd64',
};

function mockSystem(mockState: MockState): EngineSystem {
  return {
    ping: async () => undefined,
    version: async () => version,
    info: async () => {
      const containers = [...mockState.containers.values()];
      return {
        ...version,
        hostname: 'mock',
        containers: containers.length,
        containersRunning: containers.filter(({ state }) => state === 'running').length,
        images: mockState.images.size,
        cpus: 1,
        memoryBytes: 0,
      };
    },
    events: async (options) => events(mockState, mockState.events.length, options),
  };
}

async function* events(
  mockState: MockState,
  listening: number,
  options: EngineEventOptions,
): AsyncGenerator<EngineEvent, void> {
  const { since, live, labels = {}, signal } = options;
  for (let at = since === undefined ? listening : 0; ; at++) {
    while (at >= mockState.events.length) {
      if (!live) return;
      await mockState.happened.next(signal);
    }
    signal?.throwIfAborted();
    const event = mockState.events[at];
    const wanted = since === undefined || Date.parse(event?.time ?? '') >= since.getTime();
    if (event !== undefined && wanted && hasLabels(event.labels, labels)) yield event;
  }
}
