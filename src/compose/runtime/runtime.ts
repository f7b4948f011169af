/**
 * The interface of a container runtime. `Runtime` is for callers of the REST API and the command line. `Backend` adds
 * what the orchestrator needs to manage a project inside a backend.
 *
 * Every method that can block or stream takes `signal`. When it fires, the promise or the iteration rejects with its
 * reason. Every other rejection is a RuntimeError. A method that returns a stream has checked its preconditions; the
 * stream must be iterated, left with `break`, or aborted. Containers, networks and images may be named by id,
 * unambiguous id prefix, or name.
 *
 * lifecycle.ts lists preconditions and resulting statuses.
 */
import type { Abortable, LabelFilter } from './call-options.js';
import type { ClusterOperations } from './cluster.js';
import type { Conformer } from './errors.js';
import type {
  AttachedProcess,
  BuildProgress,
  ContainerRecord,
  ContainerSummary,
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
  AttachOptions,
  BuildSpec,
  CommitSpec,
  ContainerSpec,
  ExecSpec,
  FileToPut,
  NetworkSpec,
  PortProtocol,
  SecretSpec,
  VolumeSpec,
} from './spec.js';

export type { Abortable, LabelFilter };

export interface Runtime {
  readonly conformer: Conformer;
  readonly system: SystemOperations;
  readonly containers: ContainerOperations;
  readonly images: ImageOperations;
  readonly volumes: VolumeOperations;
  /** Both production backends reject these with notSupported. Project networks are managed by the orchestrator. */
  readonly networks: NetworkOperations;
  /** Both production backends reject these with notSupported. */
  readonly secrets: SecretOperations;
}

export interface Backend extends Runtime {
  readonly internal: InternalOperations;
  /** Present if the engine runs services itself. The orchestrator then gives it services instead of containers. */
  readonly cluster?: ClusterOperations;
}

/**
 * The container record that the caller already has, which makes the inspection before an action unnecessary. If the
 * engine refuses the action because the state differs, the container is inspected, and the error is the same.
 */
export interface Seen {
  readonly seen?: Pick<ContainerRecord, 'id' | 'status' | 'startedAt'>;
}

export interface LogOptions extends Abortable {
  /** Continue with new lines until the container ends. */
  readonly follow?: boolean;
  readonly since?: Date;
  readonly until?: Date;
  /** At most this many of the newest lines. */
  readonly tail?: number;
}

export interface EventOptions extends LabelFilter {
  readonly since?: Date;
  /** Absent: no end. */
  readonly until?: Date;
}

export interface SystemOperations {
  /** Checks that the engine responds. Rejects with backendFailure otherwise. */
  ping(options?: Abortable): Promise<void>;
  version(options?: Abortable): Promise<RuntimeVersion>;
  info(options?: Abortable): Promise<RuntimeInfo>;
  /** Streams container events. Subscribed once the promise settles. */
  events(options?: EventOptions): Promise<AsyncIterable<RuntimeEvent>>;
}

export interface ContainerOperations {
  /**
   * Rejects with imageNotFound when the image is not present (nothing is pulled), alreadyExists when the name is taken.
   */
  create(spec: ContainerSpec, options?: Abortable): Promise<CreatedContainer>;
  start(id: string, options?: Abortable & Seen): Promise<void>;
  /** Starts the container attached, without losing output. */
  startAttached(
    id: string,
    options?: Abortable & { readonly stdin?: AsyncIterable<Uint8Array> },
  ): Promise<AttachedProcess>;
  /** Attaches to the container's main process. Ending the attachment leaves the process running. */
  attach(id: string, options?: Abortable & AttachOptions): Promise<AttachedProcess>;
  /** Suspends all processes of the container. */
  pause(id: string, options?: Abortable): Promise<void>;
  /** Resumes a paused container. */
  unpause(id: string, options?: Abortable): Promise<void>;
  /** Sends the stop signal, then SIGKILL after `timeoutSeconds` (default 10). */
  stop(id: string, options?: Abortable & Seen & { readonly timeoutSeconds?: number }): Promise<void>;
  /** Sends `killSignal` (default SIGKILL; `SIGTERM`, `TERM` and `15` are the same). SIGKILL settles after the exit. */
  kill(id: string, options?: Abortable & { readonly killSignal?: string }): Promise<void>;
  /** Stops the container if it is running, then starts it. */
  restart(id: string, options?: Abortable & { readonly timeoutSeconds?: number }): Promise<void>;
  /** Waits until the container has ended, at most `timeoutSeconds` (default 60), then rejects with timeout. */
  wait(id: string, options?: Abortable & { readonly timeoutSeconds?: number }): Promise<ExitRecord>;
  /**
   * `force` also removes a running container, without a graceful stop; `volumes` also removes its anonymous volumes.
   */
  remove(
    id: string,
    options?: Abortable & Seen & { readonly force?: boolean; readonly volumes?: boolean },
  ): Promise<void>;
  inspect(id: string, options?: Abortable): Promise<ContainerRecord>;
  /** Lists containers in any status, oldest first. */
  list(options?: LabelFilter): Promise<readonly ContainerRecord[]>;
  /** Lists as `list` does, but only what the engine's list says of running containers, which takes less time. */
  summaries(options?: LabelFilter): Promise<readonly ContainerSummary[]>;
  logs(id: string, options?: LogOptions): Promise<AsyncIterable<LogLine>>;
  /** Returns one sample. */
  stats(id: string, options?: Abortable): Promise<StatsSample>;
  /** Yields a sample every `intervalMs` (default 1000) until the container ends. */
  followStats(id: string, options?: Abortable & { readonly intervalMs?: number }): Promise<AsyncIterable<StatsSample>>;
  exec(id: string, spec: ExecSpec, options?: Abortable): Promise<AttachedProcess>;
  top(id: string, options?: Abortable): Promise<ProcessTable>;
  /** Where a container's port is published; without `port`, all published ports. */
  port(
    id: string,
    options?: Abortable & { readonly containerPort?: number; readonly protocol?: PortProtocol },
  ): Promise<readonly PortBinding[]>;
  /** Writes files into the container's file system, running or not. */
  putFiles(id: string, files: readonly FileToPut[], options?: Abortable): Promise<void>;
  /**
   * A tar archive of a file or directory, whose first entry is that file or directory. Symbolic links are not followed.
   * Rejects with notFound when the path does not exist.
   */
  getArchive(id: string, path: string, options?: Abortable): Promise<AsyncIterable<Uint8Array>>;
  /** Unpacks a tar archive into a directory, with the owners and permissions that it names. Engines may create it. */
  putArchive(id: string, directory: string, archive: AsyncIterable<Uint8Array>, options?: Abortable): Promise<void>;
  /** A tar archive of the container's whole file system, without mounts. */
  export(id: string, options?: Abortable): Promise<AsyncIterable<Uint8Array>>;
  /** Creates an image of the container's file system and settings. Returns the image's id. */
  commit(id: string, spec: CommitSpec, options?: Abortable): Promise<string>;
  /**
   * Yields the current health, then each change, until the container ends; empty without a health check. Runs the
   * checks itself if the engine does not (Podman without systemd); there, checks run only while someone watches.
   */
  watchHealth(id: string, options?: Abortable): Promise<AsyncIterable<HealthStatus>>;
}

export interface ImageOperations {
  list(options?: LabelFilter): Promise<readonly ImageRecord[]>;
  inspect(reference: string, options?: Abortable): Promise<ImageRecord>;
  /** The iteration rejects with imageNotFound when the registry does not supply the image. */
  pull(reference: string, options?: Abortable & { readonly platform?: string }): Promise<AsyncIterable<PullProgress>>;
  /** The iteration rejects with imageNotFound for an unknown image, backendFailure when the registry refuses it. */
  push(reference: string, options?: Abortable): Promise<AsyncIterable<PullProgress>>;
  /** The last item is `done`. A failed build rejects with backendFailure, a missing base image with imageNotFound. */
  build(spec: BuildSpec, options?: Abortable): Promise<AsyncIterable<BuildProgress>>;
  remove(reference: string, options?: Abortable & { readonly force?: boolean }): Promise<void>;
}

export interface VolumeOperations {
  /** Rejects with alreadyExists when the name is in use. */
  create(spec: VolumeSpec, options?: Abortable): Promise<VolumeRecord>;
  list(options?: LabelFilter): Promise<readonly VolumeRecord[]>;
  inspect(name: string, options?: Abortable): Promise<VolumeRecord>;
  /** Rejects with backendFailure when a container uses the volume. */
  remove(name: string, options?: Abortable): Promise<void>;
}

export interface NetworkOperations {
  /** Rejects with alreadyExists when the name is in use. */
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

/** Operations for the orchestrator only. They must not be exposed by a REST route. */
export interface InternalOperations {
  readonly networks: NetworkOperations;
  /**
   * Returns the network of that name, and creates it if it is missing. Rejects with alreadyExists when the name belongs
   * to another project (`com.docker.compose.project`), or to none while the specification names one.
   */
  ensureNetwork(spec: NetworkSpec, options?: Abortable): Promise<NetworkRecord>;
  /** Detaches a container that does not run from a network. Not an error if it is not attached. */
  disconnect(network: string, container: string, options?: Abortable): Promise<void>;
  /** Like `wait`, but supported by every backend. Without `timeoutSeconds` it waits indefinitely. */
  awaitExit(id: string, options?: Abortable & { readonly timeoutSeconds?: number }): Promise<ExitRecord>;
  /**
   * Checks that the engine can mount images, and paths inside them with `subpath`. Absent: it can.
   *
   * @throws RuntimeError.notSupported
   */
  readonly requireImageMounts?: (mounts: { readonly subpath: boolean }, options?: Abortable) => Promise<void>;
  /** Frees a container's name for its successor. Rejects with alreadyExists when the new name is taken. */
  rename(id: string, name: string, options?: Abortable): Promise<void>;
}
