/** The dependencies of a sync, passed in so that tests control them: clock, random source, embedded database, progress. */
import type { Clock } from './clock.js';
import type { Random } from './random.js';
import type { SharedLocks } from './sinks/postgres-locks.js';
import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import type { Target } from './targets.js';
import type { TableName } from './records.js';

export interface SyncDependencies extends Clock, Random {
  /** Calls code hosts. On a server, calls are limited to the addresses that its organizations may reach. */
  readonly fetch: OutboundFetch;
  /** Aborts the run: stored pages stay, and the next run resumes from there. */
  readonly signal: AbortSignal;
  readonly progress: SyncProgress;
  /** The environment of the git program (PATH, HOME); GIT_* variables are removed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the folder that the local provider is confined to. Absent: it may read any repository. */
  readonly localRoot?: string;
  /** Starts or attaches to the `embedded:` database. Absent: `embedded:` is rejected. */
  readonly resolveEmbedded?: () => Promise<{ readonly uri: string; readonly close: () => Promise<void> }>;
  /** Locks for databases without locks; a server passes those of its PostgreSQL. */
  readonly locks?: SharedLocks;
  /** Imports the optional connector packages; tests pass a function that fails. Default: `import()`. */
  readonly importConnector?: (name: string) => Promise<unknown>;
}

/** Receives progress events, to draw bars or print lines. All methods are called synchronously and must not throw. */
export interface SyncProgress {
  /** Whether totals are shown. Computing a total may require another walk through a history. */
  readonly showsTotals?: boolean;
  /** In batch mode, the number of repositories, once known. */
  repositoriesFound?(count: number): void;
  repositoryStarted?(event: { readonly name: string; readonly target: Target; readonly resumed: boolean }): void;
  /** A page was stored. `expected` is the number of leading records that this run will store, if known. */
  pageStored?(event: {
    readonly name: string;
    readonly records: Readonly<Partial<Record<TableName, number>>>;
    readonly expected: number | null;
  }): void;
  /** All records of a repository are stored; the derivation of work units starts. */
  derivationStarted?(event: { readonly name: string }): void;
  repositoryFinished?(event: { readonly name: string; readonly error: string | null }): void;
  /** Waiting for a rate limit of a host, or for a lock that another sync holds. */
  waiting?(event: { readonly reason: string; readonly seconds: number }): void;
  /** A message for users, in one line. */
  note?(text: string): void;
  /** A statement sent to a database, if DB_ECHO is on. */
  statement?(text: string): void;
}
