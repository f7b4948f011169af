/** What a sync reads, and where it writes: the result of `parseSyncRequest`. */
import type { SyncDependencies } from './dependencies.js';
import type { Provider } from './providers/provider.js';
import type { DatabaseAddress } from './sinks/connection-string.js';
import type { Target } from './targets.js';
import type { TimeWindow } from './time-window.js';

/** One sync, with every value checked. Times are in milliseconds. */
export interface SyncRequest {
  readonly target: Target;
  /** The name of a provider of the registry. */
  readonly provider: string;
  readonly orgId: string;
  /** The primary database. Its state determines where a sync resumes. */
  readonly primary: DatabaseAddress;
  /** Set with `--sink both`. */
  readonly secondary: DatabaseAddress | undefined;
  readonly selection: Selection;
  readonly window: TimeWindow;
  /** `--period`, in days: the beginning of the window moves with each sync. Undefined: it does not. */
  readonly period: number | undefined;
  /** `--max-commits-per-repo`, if set. */
  readonly maxCommits: number | undefined;
  /** Whether to remove commits that the source no longer reaches. Only for the target `git`. */
  readonly prune: boolean;
  /** Leading records (commits, pull requests, files) per page. */
  readonly pageSize: number;
  readonly batch: BatchOptions;
  /** Maximum number of processes per repository. */
  readonly workers: number;
  readonly token: string | undefined;
  /** The rules for classifying work units; undefined: the built-in rules. */
  readonly rulesFile: string | undefined;
  readonly echo: boolean;
  /** Texts that must never be printed. */
  readonly secrets: readonly string[];
}

/** The repositories of a sync, as a provider has read them from the options. */
export interface Selection {
  /** What the summary calls them if none can be opened. */
  readonly name: string;
  /** The organization, user or group whose repositories are listed; absent: the selection names what it reads. */
  readonly group?: string;
  /** The seed of generated data. Those of another seed are other data. */
  readonly seed?: number;
  /** @throws SyncError (`connectors_missing`) if the connector package of a host is not installed */
  open(request: SyncRequest, dependencies: SyncDependencies): Promise<Provider>;
}

export interface BatchOptions {
  readonly size: number;
  readonly concurrency: number;
  readonly delayMilliseconds: number;
  readonly maxRepos: number | undefined;
  /** Free workers take the next repository without waiting for the end of a batch. */
  readonly continuous: boolean;
}
