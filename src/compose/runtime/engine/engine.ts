/**
 * What a backend has to supply: the plain acts of its engine. Everything that must be equal on all of them
 * (preconditions, resulting statuses, who stopped what, waits, health, which calls are refused) is built on
 * this once, in backend.ts. Ids handed in here are full ids from `inspect`, unless the name says otherwise.
 */
import type { Conformer } from '../errors.js';
import type {
  AttachedProcess,
  ContainerRecord,
  CreatedContainer,
  HealthStatus,
  LogLine,
  ProcessTable,
  RuntimeInfo,
  RuntimeVersion,
  StatsSample,
} from '../records.js';
import type {
  ImageOperations,
  LabelFilter,
  LogOptions,
  NetworkOperations,
  SecretOperations,
  VolumeOperations,
} from '../runtime.js';
import type { ContainerSpec, ExecSpec } from '../spec.js';

export interface Engine {
  readonly conformer: Conformer;
  /** Where it is, as far as that is known without asking it: for the marks of stops. */
  readonly place: string;
  /** What callers outside the orchestrator may not use, as the compose error catalogue has it. */
  readonly refuses: { readonly wait: boolean; readonly networks: boolean };
  readonly system: EngineSystem;
  readonly containers: EngineContainers;
  readonly images: ImageOperations;
  readonly volumes: VolumeOperations;
  readonly networks: NetworkOperations;
  /** Absent: every secret operation is refused. */
  readonly secrets?: SecretOperations;
}

/** A container as an engine knows it: it cannot tell a stopped one from one that exited. */
export interface EngineContainer extends Omit<ContainerRecord, 'status'> {
  readonly state: 'created' | 'running' | 'stopping' | 'ended';
  /** Where the engine keeps the log, if it is a CRI log file on this machine. */
  readonly logFile?: string;
}

export interface EngineEvent {
  readonly type: 'created' | 'started' | 'killed' | 'ended' | 'oomKilled' | 'health' | 'removed';
  readonly id: string;
  readonly name: string;
  readonly time: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly health?: HealthStatus;
}

export interface EngineEventOptions extends LabelFilter {
  /** Absent: now. What has happened since then comes first, oldest first. */
  readonly since?: Date;
  /** Go on with what is to come; otherwise end with what has happened. */
  readonly live: boolean;
}

export interface EngineSystem {
  ping(signal?: AbortSignal): Promise<void>;
  version(signal?: AbortSignal): Promise<RuntimeVersion>;
  info(signal?: AbortSignal): Promise<RuntimeInfo>;
  /** Listening when the promise settles. */
  events(options: EngineEventOptions): Promise<AsyncIterable<EngineEvent>>;
}

export interface EngineContainers {
  create(spec: ContainerSpec, signal?: AbortSignal): Promise<CreatedContainer>;
  /** By id, start of an id, or name. */
  inspect(id: string, signal?: AbortSignal): Promise<EngineContainer>;
  list(labels: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<readonly EngineContainer[]>;
  start(id: string, signal?: AbortSignal): Promise<void>;
  startAttached(
    container: EngineContainer,
    stdin: AsyncIterable<Uint8Array> | undefined,
    signal?: AbortSignal,
  ): Promise<AttachedProcess>;
  stop(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void>;
  kill(id: string, signalName: string, signal?: AbortSignal): Promise<void>;
  remove(id: string, how: { readonly force: boolean; readonly volumes: boolean }, signal?: AbortSignal): Promise<void>;
  /** alreadyExists when the name is taken. */
  rename(id: string, name: string, signal?: AbortSignal): Promise<void>;
  /**
   * Settles once the container is probably not running any more, with the exit code where the engine tells it.
   * The caller looks again, so settling early is allowed.
   */
  untilEnded(id: string, signal: AbortSignal): Promise<number | undefined>;
  logs(container: EngineContainer, options: LogOptions): Promise<AsyncIterable<LogLine>>;
  stats(id: string, signal?: AbortSignal): Promise<StatsSample>;
  exec(id: string, spec: ExecSpec, signal?: AbortSignal): Promise<AttachedProcess>;
  top(id: string, signal?: AbortSignal): Promise<ProcessTable>;
  /** Unpacks a tar archive at `/`. */
  putArchive(id: string, archive: Uint8Array, signal?: AbortSignal): Promise<void>;
  /** Runs the health check once and records its outcome. Absent where the engine does so by itself. */
  runHealthcheck?(id: string, signal?: AbortSignal): Promise<void>;
}
