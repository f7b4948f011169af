import type { Extensible, FileReference, Ulimit } from './shared-fields.js';

/** How to build a service's image. */
export interface Build extends Extensible {
  /** A directory, a URL or `service:<name>`. */
  context?: string;
  dockerfile?: string;
  dockerfile_inline?: string;
  entitlements?: string[];
  args?: Record<string, string | null>;
  /** Agent id to socket or key path; null means the default agent. */
  ssh?: Record<string, string | null>;
  labels?: Record<string, string>;
  cache_from?: string[];
  cache_to?: string[];
  no_cache?: boolean;
  no_cache_filter?: string[];
  additional_contexts?: Record<string, string>;
  network?: string;
  provenance?: string;
  sbom?: string;
  pull?: boolean;
  target?: string;
  shm_size?: string;
  extra_hosts?: Record<string, string[]>;
  isolation?: string;
  privileged?: boolean;
  secrets?: FileReference[];
  tags?: string[];
  ulimits?: Record<string, number | Ulimit>;
  platforms?: string[];
}

/** Durations are in nanoseconds. */
export interface UpdateConfig extends Extensible {
  parallelism?: number;
  delay?: number;
  failure_action?: string;
  monitor?: number;
  max_failure_ratio?: number;
  order?: 'start-first' | 'stop-first';
}

export interface DeviceRequest extends Extensible {
  capabilities?: string[];
  /** The number of devices; -1 means all. */
  count?: number;
  device_ids?: string[];
  driver?: string;
  options?: Record<string, string>;
}

export interface ResourceLimits extends Extensible {
  cpus?: number;
  /** A memory quantity. */
  memory?: string;
  pids?: number;
}

export interface ResourceReservations extends Extensible {
  cpus?: number;
  /** A memory quantity. */
  memory?: string;
  generic_resources?: GenericResource[];
  devices?: DeviceRequest[];
}

export interface GenericResource extends Extensible {
  discrete_resource_spec?: DiscreteResource;
}

export interface DiscreteResource extends Extensible {
  kind?: string;
  value?: number;
}

export interface Resources extends Extensible {
  limits?: ResourceLimits;
  reservations?: ResourceReservations;
}

/** Durations are in nanoseconds. */
export interface RestartPolicy extends Extensible {
  condition?: string;
  delay?: number;
  max_attempts?: number;
  window?: number;
}

export interface PlacementPreference extends Extensible {
  spread?: string;
}

export interface Placement extends Extensible {
  constraints?: string[];
  preferences?: PlacementPreference[];
  max_replicas_per_node?: number;
}

export interface Deploy extends Extensible {
  mode?: string;
  endpoint_mode?: string;
  replicas?: number;
  labels?: Record<string, string>;
  rollback_config?: UpdateConfig;
  update_config?: UpdateConfig;
  resources?: Resources;
  restart_policy?: RestartPolicy;
  placement?: Placement;
}

export interface Hook extends Extensible {
  command?: string[];
  user?: string;
  privileged?: boolean;
  working_dir?: string;
  environment?: Record<string, string | null>;
}

/** Runs in a separate container before the service's first container. */
export interface PreStartHook extends Hook {
  image?: string;
  per_replica?: boolean;
}

export interface WatchRule extends Extensible {
  path: string;
  action: 'rebuild' | 'sync' | 'restart' | 'sync+restart' | 'sync+exec';
  target?: string;
  ignore?: string[];
  include?: string[];
  exec?: Hook;
  initial_sync?: boolean;
}

export interface Develop extends Extensible {
  watch?: WatchRule[];
}

export interface Provider extends Extensible {
  type: string;
  options?: Record<string, string[]>;
}
