import type { Json } from '../node.js';
import type { Service } from './service.js';
import type { Extensible } from './shared-fields.js';

export interface IpamPool extends Extensible {
  subnet?: string;
  ip_range?: string;
  gateway?: string;
  aux_addresses?: Record<string, string>;
}

export interface Ipam extends Extensible {
  driver?: string;
  config?: IpamPool[];
  options?: Record<string, string>;
}

export interface Network extends Extensible {
  /** The engine's name for it. */
  name: string;
  driver?: string;
  driver_opts?: Record<string, string>;
  ipam?: Ipam;
  /** True: managed outside the project; must exist. */
  external?: boolean;
  internal?: boolean;
  attachable?: boolean;
  enable_ipv4?: boolean;
  enable_ipv6?: boolean;
  labels?: Record<string, string>;
}

export interface Volume extends Extensible {
  /** The engine's name for it. */
  name: string;
  driver?: string;
  driver_opts?: Record<string, string>;
  /** True: managed outside the project; must exist. */
  external?: boolean;
  labels?: Record<string, string>;
}

export interface Secret extends Extensible {
  name: string;
  /** Absolute path of the file with the content. */
  file?: string;
  /** The environment variable with the content; its value is in `LoadedProject.contents`, never here. */
  environment?: string;
  external?: boolean;
  labels?: Record<string, string>;
  driver?: string;
  driver_opts?: Record<string, string>;
  template_driver?: string;
}

export interface Config extends Extensible {
  name: string;
  file?: string;
  /** The environment variable with the content; its value is in `LoadedProject.contents`. */
  environment?: string;
  content?: string;
  external?: boolean;
  labels?: Record<string, string>;
  template_driver?: string;
}

export interface Model extends Extensible {
  name?: string;
  model: string;
  context_size?: number;
  runtime_flags?: string[];
}

/**
 * The result of loading compose files: plain data, independent of the syntax, file or variable that each part came
 * from. Keys of the records are the names in the files; `name` inside a resource is the engine's.
 */
export interface Project {
  name: string;
  /** Absolute path of the project directory. */
  workingDirectory: string;
  /** Absolute paths of the compose files given or found; `-` is standard input. */
  files: string[];
  /** Names of containers and images are those of Compose 1: underscores, and a number for every container. */
  compatibility?: true;
  /** The active profiles. */
  profiles: string[];
  services: Record<string, Service>;
  /** Services that no active profile enables. */
  disabledServices: Record<string, Service>;
  networks: Record<string, Network>;
  volumes: Record<string, Volume>;
  secrets: Record<string, Secret>;
  configs: Record<string, Config>;
  models: Record<string, Model>;
  /** Top-level `x-` data. */
  extensions: Record<string, Json>;
}
