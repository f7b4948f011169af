/**
 * The specifications of resources to create. They are normalized: absolute paths, durations in milliseconds or seconds
 * as the name says, sizes in bytes, split command lines. An absent field means the engine's default.
 */

export type PortProtocol = 'tcp' | 'udp' | 'sctp';

export type Mount =
  | {
      readonly type: 'bind';
      /** An absolute host path. */
      readonly source: string;
      readonly target: string;
      readonly readOnly?: boolean;
      /** Create a missing host directory; otherwise a missing path fails the create. */
      readonly createHostPath?: boolean;
      readonly propagation?: 'private' | 'rprivate' | 'shared' | 'rshared' | 'slave' | 'rslave';
      /** SELinux relabelling: `z` shared, `Z` private. */
      readonly selinux?: 'z' | 'Z';
    }
  | {
      readonly type: 'volume';
      /** A volume's name; absent: an anonymous volume. */
      readonly source?: string;
      readonly target: string;
      readonly readOnly?: boolean;
      /** Do not copy the image's content at the target into an empty volume. */
      readonly noCopy?: boolean;
      /** A path inside the volume to mount instead of its root. */
      readonly subpath?: string;
    }
  | {
      readonly type: 'tmpfs';
      readonly target: string;
      readonly sizeBytes?: number;
      /** Permission bits, for example 0o1777. */
      readonly mode?: number;
      readonly readOnly?: boolean;
    }
  | {
      /** The content of an image, read-only. */
      readonly type: 'image';
      readonly source: string;
      readonly target: string;
      /** A path inside the image to mount instead of its root. */
      readonly subpath?: string;
    };

export interface PublishedPort {
  readonly containerPort: number;
  readonly protocol?: PortProtocol;
  /** Absent: all addresses. */
  readonly hostAddress?: string;
  /** Absent: the engine picks one. */
  readonly hostPort?: number;
}

export interface NetworkAttachment {
  readonly network: string;
  /** Additional names of the container on the network. */
  readonly aliases?: readonly string[];
  readonly ipv4Address?: string;
  readonly ipv6Address?: string;
  readonly linkLocalAddresses?: readonly string[];
  readonly macAddress?: string;
  readonly driverOptions?: Readonly<Record<string, string>>;
  /** The name of the network interface in the container. */
  readonly interfaceName?: string;
}

export interface Healthcheck {
  /** `['CMD', ...]`, `['CMD-SHELL', line]`, or `['NONE']` to disable the image's health check. */
  readonly test: readonly string[];
  readonly intervalMs?: number;
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly startPeriodMs?: number;
  readonly startIntervalMs?: number;
}

export interface RestartPolicy {
  readonly name: 'no' | 'always' | 'unless-stopped' | 'on-failure';
  /** For `on-failure`; absent: unlimited. */
  readonly maximumRetries?: number;
}

export interface DeviceMapping {
  readonly source: string;
  readonly target: string;
  /** A subset of `rwm`. */
  readonly permissions?: string;
}

export interface DeviceRequest {
  readonly driver?: string;
  /** -1: all devices. */
  readonly count?: number;
  readonly deviceIds?: readonly string[];
  readonly capabilities: readonly string[];
  readonly options?: Readonly<Record<string, string>>;
}

export interface Ulimit {
  readonly soft: number;
  readonly hard: number;
}

export interface ThrottledDevice {
  readonly path: string;
  /** Bytes, or operations, per second. */
  readonly rate: number;
}

export interface BlockIo {
  readonly weight?: number;
  readonly weightDevices?: readonly { readonly path: string; readonly weight: number }[];
  readonly readBytes?: readonly ThrottledDevice[];
  readonly writeBytes?: readonly ThrottledDevice[];
  readonly readOperations?: readonly ThrottledDevice[];
  readonly writeOperations?: readonly ThrottledDevice[];
}

export interface Resources {
  /** Processors, for example 0.5. */
  readonly cpus?: number;
  readonly cpuShares?: number;
  readonly cpuQuotaMicroseconds?: number;
  readonly cpuPeriodMicroseconds?: number;
  readonly cpuRealtimeRuntimeMicroseconds?: number;
  readonly cpuRealtimePeriodMicroseconds?: number;
  readonly cpuset?: string;
  readonly memoryBytes?: number;
  readonly memoryReservationBytes?: number;
  /** Memory and swap together; -1: unlimited. */
  readonly memorySwapBytes?: number;
  readonly memorySwappiness?: number;
  readonly oomKillDisable?: boolean;
  readonly oomScoreAdjustment?: number;
  /** -1: unlimited. */
  readonly pids?: number;
  readonly blockIo?: BlockIo;
}

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly platform?: string;
  readonly command?: readonly string[];
  /** An empty list clears the image's entrypoint. */
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Variables of the image that the container does not have. */
  readonly unsetVariables?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
  /** Containers whose mounts are shared: an id or name, with `:ro` appended for read-only. */
  readonly volumesFrom?: readonly string[];
  readonly ports?: readonly PublishedPort[];
  readonly expose?: readonly { readonly port: number; readonly protocol?: PortProtocol }[];
  /** `none`, `host` or `container:<id>`; excludes `networks`. */
  readonly networkMode?: 'none' | 'host' | `container:${string}`;
  /** The gateway of the first network is the default route. Absent: the engine's default network. */
  readonly networks?: readonly NetworkAttachment[];
  readonly hostname?: string;
  readonly domainName?: string;
  readonly macAddress?: string;
  readonly extraHosts?: readonly { readonly host: string; readonly address: string }[];
  readonly dns?: readonly string[];
  readonly dnsSearch?: readonly string[];
  readonly dnsOptions?: readonly string[];
  readonly healthcheck?: Healthcheck;
  readonly restart?: RestartPolicy;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly workingDirectory?: string;
  readonly stopSignal?: string;
  readonly stopTimeoutSeconds?: number;
  readonly tty?: boolean;
  readonly openStdin?: boolean;
  /** Close standard input permanently when the first attached client leaves. */
  readonly stdinOnce?: boolean;
  readonly init?: boolean;
  readonly readOnly?: boolean;
  readonly privileged?: boolean;
  readonly capAdd?: readonly string[];
  readonly capDrop?: readonly string[];
  readonly securityOptions?: readonly string[];
  readonly devices?: readonly DeviceMapping[];
  readonly deviceCgroupRules?: readonly string[];
  readonly deviceRequests?: readonly DeviceRequest[];
  readonly sysctls?: Readonly<Record<string, string>>;
  readonly ulimits?: Readonly<Record<string, Ulimit>>;
  readonly shmSizeBytes?: number;
  readonly pidMode?: string;
  readonly ipcMode?: string;
  readonly utsMode?: string;
  readonly userNamespaceMode?: string;
  readonly cgroupNamespaceMode?: 'host' | 'private';
  readonly cgroupParent?: string;
  /** The OCI runtime's name. */
  readonly ociRuntime?: string;
  readonly storageOptions?: Readonly<Record<string, string>>;
  readonly logging?: { readonly driver?: string; readonly options?: Readonly<Record<string, string>> };
  readonly resources?: Resources;
}

export interface BuildSpec {
  /** An absolute path of a directory. */
  readonly context: string;
  /** Relative to the context, or absolute; default `Dockerfile`. Excludes `dockerfileInline`. */
  readonly dockerfile?: string;
  readonly dockerfileInline?: string;
  readonly tags: readonly string[];
  readonly target?: string;
  /** Absent: the engine's platform. Several make one image with a variant for each. */
  readonly platforms?: readonly string[];
  readonly buildArguments?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly cacheFrom?: readonly string[];
  readonly cacheTo?: readonly string[];
  readonly noCache?: boolean;
  /** Stages that are built without cache. */
  readonly noCacheFilter?: readonly string[];
  /** Look for newer base images. */
  readonly pull?: boolean;
  readonly network?: string;
  readonly shmSizeBytes?: number;
  /** A limit for the containers of the build. BuildKit has none. */
  readonly memoryBytes?: number;
  readonly ulimits?: Readonly<Record<string, { readonly soft: number; readonly hard: number }>>;
  readonly extraHosts?: readonly { readonly host: string; readonly address: string }[];
  /** For `RUN --mount=type=secret`; needs a builder that supports them. */
  readonly secrets?: readonly BuildSecret[];
  /** `default` or `id=socket`; needs a builder that supports them. */
  readonly ssh?: readonly string[];
  /** Additional named contexts; needs a builder that supports them. */
  readonly additionalContexts?: Readonly<Record<string, string>>;
  readonly privileged?: boolean;
  /** `network.host`, `security.insecure`, `device`. */
  readonly entitlements?: readonly string[];
  /** `true`, `false` or BuildKit's settings, such as `mode=max`. */
  readonly provenance?: string;
  /** `true`, `false` or BuildKit's settings for the list of what the image contains. */
  readonly sbom?: string;
  /** Push the image to its registry instead of keeping it in the engine. */
  readonly push?: boolean;
  /** The name of a builder of buildx. */
  readonly builder?: string;
  /** Check the Dockerfile only. The log is the result, and a Dockerfile with warnings is a failure. */
  readonly check?: boolean;
}

/** A file, or content with the name of the variable that it comes from. */
export type BuildSecret =
  | { readonly id: string; readonly path: string }
  | { readonly id: string; readonly value: string | Uint8Array; readonly variable: string };

export interface VolumeSpec {
  readonly name: string;
  readonly driver?: string;
  readonly driverOptions?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface AddressPool {
  readonly subnet?: string;
  readonly gateway?: string;
  readonly range?: string;
}

export interface NetworkSpec {
  readonly name: string;
  readonly driver?: string;
  readonly driverOptions?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** No external connectivity. */
  readonly internal?: boolean;
  readonly attachable?: boolean;
  readonly ipv6?: boolean;
  readonly addressPools?: readonly AddressPool[];
}

export interface SecretSpec {
  readonly name: string;
  readonly value: Uint8Array;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface ExecSpec {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly workingDirectory?: string;
  readonly privileged?: boolean;
  readonly tty?: boolean;
  /** Input for the process; its end closes the process's standard input. */
  readonly stdin?: AsyncIterable<Uint8Array>;
}

export interface AttachOptions {
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /**
   * Keys at which the caller detaches: `ctrl-a,x`. Engines detach at such keys themselves, by default at
   * `ctrl-p,ctrl-q`, so they must know others.
   */
  readonly detachKeys?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One file to put into a container's file system. Missing parent directories are created. */
export interface FileToPut {
  /** Absolute, inside the container. */
  readonly path: string;
  readonly content: Uint8Array;
  /** Permission bits; default 0o444. */
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
}

/** The options for creating an image from a container. */
export interface CommitSpec {
  /** The name of the image; absent: it has none. */
  readonly reference?: string;
  readonly author?: string;
  readonly message?: string;
  /** Dockerfile instructions, such as `ENV NAME=value`. */
  readonly changes?: readonly string[];
  /** Pause the container while the image is created. */
  readonly pause: boolean;
}
