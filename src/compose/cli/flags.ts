import type { Quiet } from './quiet.js';

export interface PsFlags {
  readonly all?: boolean;
  readonly filter?: readonly string[];
  readonly format?: string;
  readonly orphans?: boolean;
  readonly quiet?: boolean;
  readonly services?: boolean;
  readonly status?: readonly string[];
  /** commander turns `--no-trunc` into `trunc: false`. */
  readonly trunc?: boolean;
}

export interface LsFlags {
  readonly all?: boolean;
  readonly filter?: readonly string[];
  readonly quiet?: boolean;
  readonly format?: string;
}

export interface EventsFlags {
  readonly json?: boolean;
  readonly since?: Date;
  readonly until?: Date;
}

export interface LogsFlags {
  readonly follow?: boolean;
  readonly since?: Date;
  readonly until?: Date;
  readonly tail?: number;
  readonly timestamps?: boolean;
  readonly color?: boolean;
  readonly logPrefix?: boolean;
  readonly index?: number;
  readonly format: 'text' | 'json';
}

export interface ExecFlags {
  readonly detach?: boolean;
  readonly env?: readonly string[];
  readonly user?: string;
  readonly workdir?: string;
  readonly privileged?: boolean;
  readonly index?: number;
  readonly tty?: boolean;
  readonly interactive?: boolean;
}

export interface DownFlags {
  readonly volumes?: boolean;
  readonly rmi?: 'local' | 'all';
  readonly removeOrphans?: boolean;
  readonly timeout?: number;
}

export interface CreateFlags extends Pick<Quiet, 'quietPull'> {
  /** commander turns `--no-build` into false. */
  readonly build?: boolean;
  readonly pull?: 'always' | 'missing' | 'never';
  readonly forceRecreate?: boolean;
  /** commander turns `--no-recreate` into `recreate: false`. */
  readonly recreate?: boolean;
  readonly replace?: boolean;
  readonly removeOrphans?: boolean;
  readonly scale?: ReadonlyMap<string, number>;
}

export interface UpFlags extends CreateFlags, Pick<Quiet, 'quietBuild'> {
  readonly attachDependencies?: boolean;
  readonly detach?: boolean;
  readonly deps?: boolean;
  readonly start?: boolean;
  readonly alwaysRecreateDeps?: boolean;
  readonly renewAnonVolumes?: boolean;
  readonly abortOnContainerExit?: boolean;
  readonly abortOnContainerFailure?: boolean;
  readonly exitCodeFrom?: string;
  readonly attach?: readonly string[];
  readonly noAttach?: readonly string[];
  readonly color?: boolean;
  readonly logPrefix?: boolean;
  readonly menu?: boolean;
  readonly timestamps?: boolean;
  readonly timeout?: number;
  readonly wait?: boolean;
  readonly waitTimeout?: number;
  readonly watch?: boolean;
}

export interface BuildFlags {
  readonly builder?: string;
  readonly buildArg?: readonly string[];
  readonly cache?: boolean;
  readonly check?: boolean;
  readonly memory?: number;
  readonly print?: boolean;
  readonly provenance?: string;
  readonly pull?: boolean;
  readonly push?: boolean;
  readonly quiet?: boolean;
  readonly sbom?: string;
  readonly ssh?: string;
  readonly withDependencies?: boolean;
}

export interface PullFlags {
  readonly ignorePullFailures?: boolean;
  readonly ignoreBuildable?: boolean;
  readonly includeDeps?: boolean;
  readonly policy: 'always' | 'missing';
  readonly quiet?: boolean;
}

export interface StartFlags {
  readonly wait?: boolean;
  readonly waitTimeout?: number;
}

export interface KillFlags {
  readonly removeOrphans?: boolean;
  readonly signal?: string;
}

export interface RmFlags {
  readonly force?: boolean;
  readonly stop?: boolean;
  readonly volumes?: boolean;
}

export interface ScaleFlags {
  /** commander turns `--no-deps` into `deps: false`. */
  readonly deps?: boolean;
}

export type Format = 'table' | 'json';

export interface PortFlags {
  readonly protocol: 'tcp' | 'udp' | 'sctp';
  readonly index?: number;
  readonly format: Format;
}

export interface StatsFlags {
  readonly all?: boolean;
  readonly format?: string;
  /** commander turns `--no-stream` into `stream: false`. */
  readonly stream?: boolean;
  readonly trunc?: boolean;
}

/** The flags of `images` and `volumes`. */
export interface InventoryFlags {
  readonly format?: string;
  readonly quiet?: boolean;
}
