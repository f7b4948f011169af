/**
 * The results of the runtime. Times are RFC 3339 in UTC with the engine's precision (up to nanoseconds), so that a log
 * cursor is exact. Sizes are in bytes.
 */
import type { Healthcheck, NetworkSpec, PortProtocol, RestartPolicy } from './spec.js';

/** `stopping`: a stop is in progress. `stopped`: ended by a stop. `exited`: ended by a kill or without our action. */
export type ContainerStatus = 'created' | 'running' | 'stopping' | 'stopped' | 'exited';

export type HealthStatus = 'starting' | 'healthy' | 'unhealthy';

export interface HealthRecord {
  readonly status: HealthStatus;
  /** Consecutive failed checks. */
  readonly failingStreak: number;
  /** When the newest check ended; absent before the first. */
  readonly checkedAt?: string;
  /** The output of the newest check. */
  readonly output?: string;
}

export interface PortBinding {
  readonly containerPort: number;
  readonly protocol: PortProtocol;
  readonly hostAddress: string;
  readonly hostPort: number;
}

export interface NetworkEndpoint {
  readonly network: string;
  readonly aliases: readonly string[];
  readonly ipv4Address?: string;
  readonly ipv6Address?: string;
  readonly macAddress?: string;
}

export interface MountRecord {
  readonly type: 'bind' | 'volume' | 'tmpfs' | 'image';
  /** The host path of a bind mount, the name of a volume, or an image. */
  readonly source?: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export interface ContainerRecord {
  readonly id: string;
  readonly name: string;
  /** The image name as given at creation. */
  readonly image: string;
  readonly imageId: string;
  readonly status: ContainerStatus;
  /** Details of the status: `paused` and `restarting` for running, `removing` and `dead` for an ended run. */
  readonly condition?: 'paused' | 'restarting' | 'removing' | 'dead';
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  /** The exit code of the last run; absent while running, unless it restarts, and before the first start. */
  readonly exitCode?: number;
  readonly outOfMemory: boolean;
  readonly restartCount: number;
  /** Absent if there is no restart policy. */
  readonly restart?: RestartPolicy;
  /** Absent if the container has no health check. */
  readonly health?: HealthRecord;
  readonly healthcheck?: Healthcheck;
  readonly labels: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly entrypoint: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly user: string;
  readonly hostname: string;
  readonly tty: boolean;
  readonly stopSignal?: string;
  readonly ports: readonly PortBinding[];
  /** By target. */
  readonly mounts: readonly MountRecord[];
  readonly networks: readonly NetworkEndpoint[];
}

/**
 * What an engine's list says of a container, which is there sooner than the record. Its record is one, too. Of a running
 * container, `createdAt` may be exact to the second only, and `command` one text with the entrypoint.
 */
export interface ContainerSummary extends Pick<
  ContainerRecord,
  | 'id'
  | 'name'
  | 'image'
  | 'imageId'
  | 'status'
  | 'condition'
  | 'createdAt'
  | 'startedAt'
  | 'finishedAt'
  | 'exitCode'
  | 'labels'
  | 'command'
  | 'entrypoint'
  | 'ports'
  | 'mounts'
  | 'networks'
> {
  readonly health?: Pick<HealthRecord, 'status'>;
  /** How long it has been running, in words, instead of `startedAt`. */
  readonly uptime?: string;
}

export interface CreatedContainer {
  readonly id: string;
  /** Settings that the backend ignored, one sentence each. */
  readonly warnings: readonly string[];
}

export interface ExitRecord {
  readonly exitCode: number;
  readonly exitedAt: string;
}

export type OutputStream = 'stdout' | 'stderr';

export interface LogLine {
  readonly stream: OutputStream;
  /** Without its line end. */
  readonly line: string;
  readonly time: string;
}

export interface OutputChunk {
  readonly stream: OutputStream;
  readonly data: Uint8Array;
}

/** A process with its streams attached: an exec, or a container started in the foreground. */
export interface AttachedProcess {
  /** All output, in order per stream. With a tty everything is stdout. */
  readonly output: AsyncIterable<OutputChunk>;
  /** Settles after the output has ended; rejects if the output does. */
  readonly exitCode: Promise<number>;
  /** Sets the size of the tty. */
  resize(size: TerminalSize): Promise<void>;
}

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

export interface NetworkTraffic {
  readonly interface: string;
  readonly receivedBytes: number;
  readonly transmittedBytes: number;
}

/** Counters since the container's start. A rate is the difference of two samples over their times. */
export interface StatsSample {
  readonly id: string;
  readonly sampledAt: string;
  readonly cpuUsageMicroseconds: number;
  readonly memoryUsageBytes: number;
  readonly memoryLimitBytes: number;
  readonly processes: number;
  readonly blockReadBytes: number;
  readonly blockWriteBytes: number;
  readonly networks: readonly NetworkTraffic[];
}

export interface ProcessTable {
  readonly titles: readonly string[];
  /** One row per process, with one cell per title. */
  readonly processes: readonly (readonly string[])[];
}

export type RuntimeEventType =
  'created' | 'started' | 'killed' | 'stopped' | 'exited' | 'oomKilled' | 'health' | 'removed';

/** `stopped` and `exited` both mean the end of a run and have the exit code. They differ like the statuses. */
export interface RuntimeEvent {
  readonly type: RuntimeEventType;
  readonly id: string;
  readonly name: string;
  readonly time: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly health?: HealthStatus;
}

export interface ImageRecord {
  readonly id: string;
  readonly tags: readonly string[];
  readonly createdAt: string;
  readonly sizeBytes: number;
  readonly labels: Readonly<Record<string, string>>;
  /** `linux/amd64` or `linux/arm64/v8`. Lists of images lack it. */
  readonly platform?: string;
  /** When it was last pulled, built or named here. Lists of images and Podman lack it. */
  readonly taggedAt?: string;
}

/** A line about a pull or a push. */
export interface PullProgress {
  /** The layer that the line refers to; absent for the whole image. */
  readonly layer?: string;
  readonly message: string;
  readonly currentBytes?: number;
  readonly totalBytes?: number;
}

export type BuildProgress =
  { readonly type: 'log'; readonly line: string } | { readonly type: 'done'; readonly imageId: string };

export interface VolumeRecord {
  readonly name: string;
  readonly driver: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt?: string;
  /** Absent: unknown. */
  readonly driverOptions?: Readonly<Record<string, string>>;
  /** The host directory. */
  readonly mountpoint?: string;
  /** `local` or `global`. */
  readonly scope?: string;
}

/** An absent setting is unknown. */
export interface NetworkRecord extends Pick<NetworkSpec, 'driverOptions' | 'ipv6' | 'addressPools'> {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly internal: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** A secret's metadata. Its value is never returned. */
export interface SecretRecord {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: string;
}

export interface RuntimeVersion {
  readonly engine: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly os: string;
  readonly architecture: string;
}

export interface RuntimeInfo extends RuntimeVersion {
  readonly hostname: string;
  readonly containers: number;
  readonly containersRunning: number;
  readonly images: number;
  readonly cpus: number;
  readonly memoryBytes: number;
}
