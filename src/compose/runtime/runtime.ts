/**
 * One container runtime, whatever runs the containers. `Runtime` is what callers of the REST API and the
 * command line may use; `Backend` adds what the orchestrator needs to manage a project inside a backend.
 *
 * Every method takes `signal` where it can block or stream: when it fires, the promise or the iteration
 * rejects with its reason. Every other rejection is a RuntimeError. A method that answers a stream has
 * checked its preconditions before it answers, and the stream must be iterated, left with `break`, or
 * aborted. Containers, networks and images may be named by id, by unambiguous start of the id, or by name.
 *
 * Preconditions and resulting statuses stand in lifecycle.ts.
 */
import type { Conformer } from './errors.js';
import type {
  AttachedProcess,
  BuildProgress,
  ContainerRecord,
  CreatedContainer,
  ExitRecord,
  HealthStatus,
  ImageRecord,
  LogLine,
  NetworkRecord,
  PortBinding,
  ProcessTable,
  PullProgress,
  RuntimeEvent,
  RuntimeInfo,
  RuntimeVersion,
  SecretRecord,
  StatsSample,
  VolumeRecord,
} from './records.js';
import type {
  BuildSpec,
  ContainerSpec,
  ExecSpec,
  FileToPut,
  NetworkSpec,
  PortProtocol,
  SecretSpec,
  VolumeSpec,
} from './spec.js';

export interface Runtime {
  readonly conformer: Conformer;
  readonly system: SystemOperations;
  readonly containers: ContainerOperations;
  readonly images: ImageOperations;
  readonly volumes: VolumeOperations;
  /** Rejected with notSupported by both production backends: a project's network is the orchestrator's. */
  readonly networks: NetworkOperations;
  /** Rejected with notSupported by both production backends. */
  readonly secrets: SecretOperations;
}

export interface Backend extends Runtime {
  readonly internal: InternalOperations;
}

export interface Abortable {
  readonly signal?: AbortSignal;
}

/**
 * What the caller has seen of the container, in place of the look that goes before an act. Where the engine sees it
 * otherwise and refuses, it is looked at, and the error is the same.
 */
export interface Seen {
  readonly seen?: Pick<ContainerRecord, 'id' | 'status' | 'startedAt'>;
}

/** All of these labels with these values; an empty value asks only that the label is there. */
export interface LabelFilter extends Abortable {
  readonly labels?: Readonly<Record<string, string>>;
}

export interface LogOptions extends Abortable {
  /** Go on with new lines until the container ends. */
  readonly follow?: boolean;
  readonly since?: Date;
  readonly until?: Date;
  /** Only this many of the newest lines. */
  readonly tail?: number;
}

export interface EventOptions extends LabelFilter {
  readonly since?: Date;
  /** Absent: without end. */
  readonly until?: Date;
}

export interface SystemOperations {
  /** Does the engine answer? Rejects with backendFailure when not. */
  ping(options?: Abortable): Promise<void>;
  version(options?: Abortable): Promise<RuntimeVersion>;
  info(options?: Abortable): Promise<RuntimeInfo>;
  /** What happens to containers. The stream is listening when the promise settles. */
  events(options?: EventOptions): Promise<AsyncIterable<RuntimeEvent>>;
}

export interface ContainerOperations {
  /** imageNotFound when the image is not here (nothing is pulled), alreadyExists when the name is taken. */
  create(spec: ContainerSpec, options?: Abortable): Promise<CreatedContainer>;
  start(id: string, options?: Abortable & Seen): Promise<void>;
  /** Starts in the foreground, with nothing of the output missed. */
  startAttached(
    id: string,
    options?: Abortable & { readonly stdin?: AsyncIterable<Uint8Array> },
  ): Promise<AttachedProcess>;
  /** The stop signal, then SIGKILL after `timeoutSeconds` (default 10). */
  stop(id: string, options?: Abortable & Seen & { readonly timeoutSeconds?: number }): Promise<void>;
  /** Sends `killSignal` (default SIGKILL; `SIGTERM`, `TERM` and `15` are the same). After SIGKILL it has exited. */
  kill(id: string, options?: Abortable & { readonly killSignal?: string }): Promise<void>;
  /** Stops it if it runs, and starts it. */
  restart(id: string, options?: Abortable & { readonly timeoutSeconds?: number }): Promise<void>;
  /** Until it has ended, at most `timeoutSeconds` (default 60), else timeout. At once for one that has. */
  wait(id: string, options?: Abortable & { readonly timeoutSeconds?: number }): Promise<ExitRecord>;
  /** `force` also removes a running one, without a graceful stop; `volumes` its anonymous volumes with it. */
  remove(
    id: string,
    options?: Abortable & Seen & { readonly force?: boolean; readonly volumes?: boolean },
  ): Promise<void>;
  inspect(id: string, options?: Abortable): Promise<ContainerRecord>;
  /** Whatever their status, oldest first. */
  list(options?: LabelFilter): Promise<readonly ContainerRecord[]>;
  logs(id: string, options?: LogOptions): Promise<AsyncIterable<LogLine>>;
  /** One sample. */
  stats(id: string, options?: Abortable): Promise<StatsSample>;
  /** A sample every `intervalMs` (default 1000) until the container ends. */
  followStats(id: string, options?: Abortable & { readonly intervalMs?: number }): Promise<AsyncIterable<StatsSample>>;
  exec(id: string, spec: ExecSpec, options?: Abortable): Promise<AttachedProcess>;
  top(id: string, options?: Abortable): Promise<ProcessTable>;
  /** Where a container's port is published; without a port, all of them. */
  port(
    id: string,
    options?: Abortable & { readonly containerPort?: number; readonly protocol?: PortProtocol },
  ): Promise<readonly PortBinding[]>;
  /** Writes files into the container's file system, started or not. */
  putFiles(id: string, files: readonly FileToPut[], options?: Abortable): Promise<void>;
  /**
   * The health now, then each change of it, until the container ends; empty without a health check. Runs the
   * checks itself where the engine does not (Podman without systemd), so somebody must be watching there.
   */
  watchHealth(id: string, options?: Abortable): Promise<AsyncIterable<HealthStatus>>;
}

export interface ImageOperations {
  list(options?: LabelFilter): Promise<readonly ImageRecord[]>;
  inspect(reference: string, options?: Abortable): Promise<ImageRecord>;
  /** The iteration rejects with imageNotFound when the registry does not give it. */
  pull(reference: string, options?: Abortable & { readonly platform?: string }): Promise<AsyncIterable<PullProgress>>;
  /** The last item is `done`; a failed build rejects with backendFailure, a missing base with imageNotFound. */
  build(spec: BuildSpec, options?: Abortable): Promise<AsyncIterable<BuildProgress>>;
  remove(reference: string, options?: Abortable & { readonly force?: boolean }): Promise<void>;
}

export interface VolumeOperations {
  /** alreadyExists when the name is in use. */
  create(spec: VolumeSpec, options?: Abortable): Promise<VolumeRecord>;
  list(options?: LabelFilter): Promise<readonly VolumeRecord[]>;
  inspect(name: string, options?: Abortable): Promise<VolumeRecord>;
  /** A volume that a container uses is a backendFailure. */
  remove(name: string, options?: Abortable): Promise<void>;
}

export interface NetworkOperations {
  /** alreadyExists when the name is in use. */
  create(spec: NetworkSpec, options?: Abortable): Promise<NetworkRecord>;
  list(options?: LabelFilter): Promise<readonly NetworkRecord[]>;
  inspect(id: string, options?: Abortable): Promise<NetworkRecord>;
  remove(id: string, options?: Abortable): Promise<void>;
}

export interface SecretOperations {
  create(spec: SecretSpec, options?: Abortable): Promise<SecretRecord>;
  list(options?: Abortable): Promise<readonly SecretRecord[]>;
  inspect(id: string, options?: Abortable): Promise<SecretRecord>;
  remove(id: string, options?: Abortable): Promise<void>;
}

/** What the orchestrator does inside a backend and no caller reaches: never behind a REST route. */
export interface InternalOperations {
  readonly networks: NetworkOperations;
  /**
   * The network of that name, made when it is missing. alreadyExists when the name belongs to another
   * project (`com.docker.compose.project`), or to none while the specification names one.
   */
  ensureNetwork(spec: NetworkSpec, options?: Abortable): Promise<NetworkRecord>;
  /** As `wait`, on every backend; without `timeoutSeconds` it waits as long as it takes. */
  awaitExit(id: string, options?: Abortable & { readonly timeoutSeconds?: number }): Promise<ExitRecord>;
  /** Frees a container's name for its successor. alreadyExists when the new name is taken. */
  rename(id: string, name: string, options?: Abortable): Promise<void>;
}
