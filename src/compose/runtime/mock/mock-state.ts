/** The state of the mock: everything an engine would keep, in maps. */
import type { Clock } from '../clock.js';
import type { EngineContainer, EngineEvent } from '../engine/engine.js';
import { specRecord } from '../engine/spec-record.js';
import { utcTime } from '../engine/time.js';
import { notFound } from '../errors.js';
import type {
  HealthRecord,
  ImageRecord,
  LogLine,
  NetworkRecord,
  PortBinding,
  SecretRecord,
  StatsSample,
  VolumeRecord,
} from '../records.js';
import type { ContainerSpec } from '../spec.js';
import type { MockPrograms, RunningProcess } from './process.js';

export interface MockContainer {
  readonly id: string;
  /** Replaced when it is renamed. */
  spec: ContainerSpec;
  readonly imageId: string;
  readonly createdAt: string;
  state: EngineContainer['state'];
  startedAt?: string;
  finishedAt?: string;
  exitCode?: number;
  restartCount: number;
  /** Set by a stop or kill, so that the restart policy does not restart it. */
  heldDown: boolean;
  health?: HealthRecord;
  ports: readonly PortBinding[];
  readonly addresses: ReadonlyMap<string, string>;
  process?: RunningProcess;
  readonly log: LogLine[];
  /** Set by a pause. */
  paused?: true;
  /** Tar archives put into it, oldest first. */
  readonly archives: Uint8Array[];
  /** Files put into it, by absolute path. */
  readonly files: Map<string, MockFile>;
  stats?: Partial<StatsSample>;
  /** Settles at the next change of its state or log. */
  readonly change: Change;
}

export interface MockFile {
  readonly type: 'file' | 'directory' | 'symlink';
  readonly mode: number;
  readonly content: Uint8Array;
  readonly target?: string;
}

export interface MockState {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly programs: MockPrograms;
  readonly containers: Map<string, MockContainer>;
  readonly images: Map<string, ImageRecord>;
  readonly volumes: Map<string, VolumeRecord>;
  readonly networks: Map<string, NetworkRecord>;
  readonly secrets: Map<string, SecretRecord & { readonly value: Uint8Array }>;
  readonly events: EngineEvent[];
  readonly happened: Change;
}

/** Wakes up waiters. */
export interface Change {
  notify(): void;
  /** Settles at the next notification; rejects with the signal's reason. */
  next(signal?: AbortSignal): Promise<void>;
}

export function change(): Change {
  let waiting: (() => void)[] = [];
  return {
    notify() {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    next(signal) {
      signal?.throwIfAborted();
      return new Promise<void>((resolve, reject) => {
        const abort = (): void => {
          reject(signal?.reason as Error);
        }; // The caller reports the reason.
        signal?.addEventListener('abort', abort, { once: true });
        waiting.push(() => {
          signal?.removeEventListener('abort', abort);
          resolve();
        });
      });
    },
  };
}

export function now(mockState: MockState): string {
  return utcTime(mockState.clock.now().toISOString()) ?? '';
}

/** Accepts an id, an id prefix, or a name. */
export function find(mockState: MockState, id: string): MockContainer {
  const exact = mockState.containers.get(id);
  if (exact !== undefined) return exact;
  const all = [...mockState.containers.values()];
  const named = all.find(({ spec }) => spec.name === id);
  if (named !== undefined) return named;
  const [only, ...others] = id === '' ? [] : all.filter((container) => container.id.startsWith(id));
  if (only === undefined || others.length > 0) throw notFound(id);
  return only;
}

export function emit(
  mockState: MockState,
  container: MockContainer,
  type: EngineEvent['type'],
  details: Pick<EngineEvent, 'exitCode' | 'signal' | 'health'> = {},
): void {
  const { id, spec } = container;
  mockState.events.push({ type, id, name: spec.name, time: now(mockState), labels: { ...spec.labels }, ...details });
  mockState.happened.notify();
}

export function recordOf(container: MockContainer): EngineContainer {
  const { spec } = container;
  const ended = container.state === 'ended';
  const known = specRecord(spec, container.id);
  return {
    ...known,
    imageId: container.imageId,
    state: container.state,
    ...(container.paused === true && container.state === 'running' && { condition: 'paused' as const }),
    createdAt: container.createdAt,
    ...(container.startedAt !== undefined && { startedAt: container.startedAt }),
    ...(ended && container.finishedAt !== undefined && { finishedAt: container.finishedAt }),
    ...(ended && container.exitCode !== undefined && { exitCode: container.exitCode }),
    outOfMemory: false,
    restartCount: container.restartCount,
    ...(container.health && { health: container.health }),
    ports: container.state === 'running' ? container.ports : [],
    networks: known.networks.map((endpoint) => {
      const ipv4Address = container.addresses.get(endpoint.network);
      return { ...endpoint, ...(ipv4Address !== undefined && { ipv4Address }) };
    }),
  };
}
