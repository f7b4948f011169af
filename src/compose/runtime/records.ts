/**
 * What the runtime answers. Times are RFC 3339 in UTC with the engine's own precision (nanoseconds where it
 * has them), so that a log cursor loses nothing; sizes are bytes.
 */
import type { Healthcheck, PortProtocol, RestartPolicy } from './spec.js';

/** `stopping` is a stop in progress; `stopped` ended by a stop, `exited` by a kill or by itself. */
export type ContainerStatus = 'created' | 'running' | 'stopping' | 'stopped' | 'exited';

export type HealthStatus = 'starting' | 'healthy' | 'unhealthy';

export interface HealthRecord {
  readonly status: HealthStatus;
  /** Consecutive failed checks. */
  readonly failingStreak: number;
  /** When the newest check ended; absent before the first. */
  readonly checkedAt?: string;
  /** What the newest check printed. */
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
  readonly type: 'bind' | 'volume' | 'tmpfs';
  /** The host path of a bind, the name of a volume. */
  readonly source?: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export interface ContainerRecord {
  readonly id: string;
  readonly name: string;
  /** The image as the container was created from it. */
  readonly image: string;
  readonly imageId: string;
  readonly status: ContainerStatus;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  /** Of the last run; absent while running and before the first start. */
  readonly exitCode?: number;
  readonly outOfMemory: boolean;
  readonly restartCount: number;
  /** Absent where nothing brings it back. */
  readonly restart?: RestartPolicy;
  /** Absent where the container has no health check. */
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

export interface CreatedContainer {
  readonly id: string;
  /** What the backend could not honour and left out, one sentence each. */
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
  /** Everything that it prints, in order per stream; ends when it ends. With a tty all of it is stdout. */
  readonly output: AsyncIterable<OutputChunk>;
  /** Settles after the output has ended; rejects as the output does. */
  readonly exitCode: Promise<number>;
  /** Tells a tty its size. */
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

/** Counters since the container's start; a rate is the difference of two samples over their times. */
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
  /** One row per process, as long as the titles. */
  readonly processes: readonly (readonly string[])[];
}

export type RuntimeEventType =
  'created' | 'started' | 'killed' | 'stopped' | 'exited' | 'oomKilled' | 'health' | 'removed';

/** `stopped` and `exited` are the end of a run, told apart as the statuses are; both carry the exit code. */
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
}

export interface PullProgress {
  /** The layer that the line is about; absent for lines about the whole image. */
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
}

export interface NetworkRecord {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly internal: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** A secret's value is never answered. */
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
