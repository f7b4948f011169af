/**
 * The primitive operations that a backend supplies for its engine. Behaviour that must be the same on all backends
 * (preconditions, resulting statuses, stop marks, waits, health, refused calls) is implemented once on top of these, in
 * backend.ts. Ids passed in are full ids from `inspect`, unless the parameter name says otherwise.
 */
import type { Conformer } from '../errors.js';
import type {
  AttachedProcess,
  ContainerRecord,
  ContainerSummary,
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
  InternalOperations,
  LabelFilter,
  LogOptions,
  NetworkOperations,
  SecretOperations,
  VolumeOperations,
} from '../runtime.js';
import type { AttachOptions, CommitSpec, ContainerSpec, ExecSpec } from '../spec.js';

export interface Engine {
  readonly conformer: Conformer;
  /** The engine's location, if known without a request. Identifies the engine in stop marks. */
  readonly place: string;
  /** Operations refused to callers outside the orchestrator, as the compose error catalogue specifies. */
  readonly refuses: { readonly wait: boolean; readonly networks: boolean };
  readonly system: EngineSystem;
  readonly containers: EngineContainers;
  readonly images: ImageOperations;
  readonly volumes: VolumeOperations;
  readonly networks: NetworkOperations & Pick<InternalOperations, 'disconnect'>;
  /** `InternalOperations.requireImageMounts` */
  readonly requireImageMounts?: NonNullable<InternalOperations['requireImageMounts']>;
  /** Absent: every secret operation is refused. */
  readonly secrets?: SecretOperations;
}

/** A container as reported by an engine, which does not distinguish stopped from exited. */
export interface EngineContainer extends Omit<ContainerRecord, 'status'> {
  readonly state: 'created' | 'running' | 'stopping' | 'ended';
  /** The path of the log, if it is a CRI log file on this machine. */
  readonly logFile?: string;
}

/** A running container, as in an engine's list: nothing says when it was started. */
export interface ListedContainer extends Omit<ContainerSummary, 'status' | 'startedAt' | 'finishedAt' | 'exitCode'> {
  readonly state: 'running';
  readonly uptime: string;
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
  /** Absent: now. Past events come first, oldest first. */
  readonly since?: Date;
  /** Continue with new events; otherwise end after the past ones. */
  readonly live: boolean;
}

export interface EngineSystem {
  ping(signal?: AbortSignal): Promise<void>;
  version(signal?: AbortSignal): Promise<RuntimeVersion>;
  info(signal?: AbortSignal): Promise<RuntimeInfo>;
  /** Subscribed once the promise settles. */
  events(options: EngineEventOptions): Promise<AsyncIterable<EngineEvent>>;
}

export interface EngineContainers {
  create(spec: ContainerSpec, signal?: AbortSignal): Promise<CreatedContainer>;
  /** Accepts an id, an unambiguous id prefix, or a name. */
  inspect(id: string, signal?: AbortSignal): Promise<EngineContainer>;
  list(labels: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<readonly EngineContainer[]>;
  /** Lists with less about containers that the engine's list describes well. Absent: it would not be faster. */
  summaries?(
    labels: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<readonly (EngineContainer | ListedContainer)[]>;
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
   * Settles once the container has probably stopped, with the exit code if the engine reports it. It may settle early;
   * the caller checks again.
   */
  untilEnded(id: string, signal: AbortSignal): Promise<number | undefined>;
  logs(container: EngineContainer, options: LogOptions): Promise<AsyncIterable<LogLine>>;
  stats(id: string, signal?: AbortSignal): Promise<StatsSample>;
  exec(id: string, spec: ExecSpec, signal?: AbortSignal): Promise<AttachedProcess>;
  top(id: string, signal?: AbortSignal): Promise<ProcessTable>;
  attach(container: EngineContainer, options: AttachOptions): Promise<AttachedProcess>;
  pause(id: string, signal?: AbortSignal): Promise<void>;
  unpause(id: string, signal?: AbortSignal): Promise<void>;
  /** notFound names the path. */
  getArchive(id: string, path: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  putArchive(id: string, directory: string, archive: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void>;
  export(id: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  commit(id: string, spec: CommitSpec, signal?: AbortSignal): Promise<string>;
  /** Runs the health check once and records the result. Absent if the engine does so itself. */
  runHealthcheck?(id: string, signal?: AbortSignal): Promise<void>;
}
