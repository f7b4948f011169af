import type { Build, Deploy, Develop, DeviceRequest, Hook, PreStartHook, Provider } from './workload.js';
import type { Extensible, FileReference, Ulimit } from './shared-fields.js';

export type DependencyCondition = 'service_started' | 'service_healthy' | 'service_completed_successfully';

export interface Dependency extends Extensible {
  condition: DependencyCondition;
  /** Whether this service restarts when the other one does. */
  restart?: boolean;
  /** False: a missing or disabled service is not an error. */
  required: boolean;
}

export interface Port extends Extensible {
  /** The port in the container, 1 to 65535. */
  target: number;
  /** The port or range of ports (`8000-8010`) on the host; absent: the engine chooses. */
  published?: string;
  host_ip?: string;
  protocol: string;
  mode: string;
  name?: string;
  app_protocol?: string;
}

export type MountType = 'bind' | 'volume' | 'tmpfs' | 'cluster' | 'npipe' | 'image';

export interface Mount extends Extensible {
  type: MountType;
  /** A host path, a key of the project's volumes, or an image; absent for anonymous volumes and tmpfs. */
  source?: string;
  target: string;
  read_only?: boolean;
  consistency?: string;
  bind?: BindOptions;
  volume?: VolumeOptions;
  tmpfs?: TmpfsOptions;
  image?: ImageOptions;
}

export interface BindOptions extends Extensible {
  propagation?: string;
  create_host_path?: boolean;
  recursive?: 'enabled' | 'disabled' | 'writable' | 'readonly';
  selinux?: 'z' | 'Z';
}

export interface VolumeOptions extends Extensible {
  labels?: Record<string, string>;
  nocopy?: boolean;
  subpath?: string;
}

export interface TmpfsOptions extends Extensible {
  /** A memory quantity. */
  size?: string;
  mode?: number;
}

export interface ImageOptions extends Extensible {
  subpath?: string;
}

export interface ServiceNetwork extends Extensible {
  aliases?: string[];
  interface_name?: string;
  ipv4_address?: string;
  ipv6_address?: string;
  link_local_ips?: string[];
  mac_address?: string;
  driver_opts?: Record<string, string>;
  priority?: number;
  gw_priority?: number;
}

/** Durations are in nanoseconds. */
export interface Healthcheck extends Extensible {
  disable?: boolean;
  /** Starts with CMD, CMD-SHELL or NONE. */
  test?: string[];
  interval?: number;
  timeout?: number;
  retries?: number;
  start_period?: number;
  start_interval?: number;
}

export interface Logging extends Extensible {
  driver?: string;
  options?: Record<string, string>;
}

export interface DeviceMapping extends Extensible {
  source: string;
  target?: string;
  permissions?: string;
}

export interface ThrottleDevice {
  path?: string;
  /** Bytes or operations per second; bytes as a memory quantity. */
  rate?: string;
}

export interface WeightDevice {
  path?: string;
  weight?: number;
}

export interface BlkioConfig {
  weight?: number;
  weight_device?: WeightDevice[];
  device_read_bps?: ThrottleDevice[];
  device_read_iops?: ThrottleDevice[];
  device_write_bps?: ThrottleDevice[];
  device_write_iops?: ThrottleDevice[];
}

export interface CredentialSpec extends Extensible {
  config?: string;
  file?: string;
  registry?: string;
}

export interface EnvFile {
  path: string;
  required: boolean;
  /** Lines are literal, without quoting or interpolation. */
  format?: 'raw';
}

export interface ServiceModel extends Extensible {
  endpoint_var?: string;
  model_var?: string;
}

/**
 * A service of the loaded project, with the keys of the Compose Specification: short syntax expanded, variables
 * replaced, files merged, paths absolute, environment files read. Memory quantities are kept as text (see
 * `parseMemory`), durations are in nanoseconds.
 */
export interface Service extends Extensible {
  annotations?: Record<string, string>;
  attach?: boolean;
  blkio_config?: BlkioConfig;
  build?: Build;
  cap_add?: string[];
  cap_drop?: string[];
  cgroup?: 'host' | 'private';
  cgroup_parent?: string;
  command?: string[];
  configs?: FileReference[];
  container_name?: string;
  cpu_count?: number;
  cpu_percent?: number;
  cpu_period?: number;
  cpu_quota?: number;
  cpu_rt_period?: number;
  cpu_rt_runtime?: number;
  cpu_shares?: number;
  cpus?: number;
  cpuset?: string;
  credential_spec?: CredentialSpec;
  depends_on?: Record<string, Dependency>;
  deploy?: Deploy;
  develop?: Develop;
  device_cgroup_rules?: string[];
  devices?: DeviceMapping[];
  dns?: string[];
  dns_opt?: string[];
  dns_search?: string[];
  domainname?: string;
  entrypoint?: string[];
  /** Null: the variable is listed but not set anywhere. */
  environment?: Record<string, string | null>;
  /** Removed once the files are read into `environment`. */
  env_file?: EnvFile[];
  expose?: string[];
  /** Removed once applied. */
  extends?: { service: string; file?: string };
  external_links?: string[];
  extra_hosts?: Record<string, string[]>;
  gpus?: DeviceRequest[];
  group_add?: string[];
  healthcheck?: Healthcheck;
  hostname?: string;
  image?: string;
  init?: boolean;
  ipc?: string;
  isolation?: string;
  label_file?: string[];
  labels?: Record<string, string>;
  links?: string[];
  logging?: Logging;
  mac_address?: string;
  mem_limit?: string;
  mem_reservation?: string;
  mem_swappiness?: number;
  memswap_limit?: string;
  models?: Record<string, ServiceModel | null>;
  network_mode?: string;
  /** Keys of the project's networks; null without further settings. */
  networks?: Record<string, ServiceNetwork | null>;
  oom_kill_disable?: boolean;
  oom_score_adj?: number;
  pid?: string;
  pids_limit?: number;
  platform?: string;
  ports?: Port[];
  post_start?: Hook[];
  pre_start?: PreStartHook[];
  pre_stop?: Hook[];
  privileged?: boolean;
  profiles?: string[];
  provider?: Provider;
  pull_policy?: string;
  pull_refresh_after?: string;
  read_only?: boolean;
  restart?: string;
  runtime?: string;
  scale?: number;
  secrets?: FileReference[];
  security_opt?: string[];
  shm_size?: string;
  stdin_open?: boolean;
  stop_grace_period?: number;
  stop_signal?: string;
  storage_opt?: Record<string, string>;
  sysctls?: Record<string, string>;
  tmpfs?: string[];
  tty?: boolean;
  ulimits?: Record<string, number | Ulimit>;
  use_api_socket?: boolean;
  user?: string;
  userns_mode?: string;
  uts?: string;
  volumes?: Mount[];
  volumes_from?: string[];
  working_dir?: string;
}
