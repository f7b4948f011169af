/** What a sync needs from outside, handed in so that tests hold it: time, chance, the embedded database, reports. */
import type { SharedLocks } from './sinks/postgres-locks.js';
import type { OutboundFetch } from '../outbound/outbound-fetch.js';
import type { Target } from './targets.js';
import type { TableName } from './records.js';

export interface Surroundings {
  /** The current time in epoch milliseconds. */
  readonly now: () => number;
  /** Resolves after that many milliseconds; rejects with the signal's reason once it is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** A number in [0, 1), for the jitter of waiting times. */
  readonly random: () => number;
  /** A new unique id; identifies one run of one repository. */
  readonly newId: () => string;
  /** How code hosts are called: from a server only at the addresses that its organizations may reach. */
  readonly fetch: OutboundFetch;
  /** Ends the run: what was stored stays, and the next run goes on from there. */
  readonly signal: AbortSignal;
  readonly progress: SyncProgress;
  /** The environment in which the git program is started (PATH, HOME); GIT_* variables are dropped. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute path of a folder that the provider local must not leave. Absent: it reads any repository. */
  readonly localRoot?: string;
  /** Starts or finds the database that `embedded:` names. Absent: `embedded:` is refused. */
  readonly resolveEmbedded?: () => Promise<{ readonly uri: string; readonly close: () => Promise<void> }>;
  /** Locks for databases that have none of their own; a server hands in those of its PostgreSQL. */
  readonly locks?: SharedLocks;
  /** How the optional connector packages are imported; tests hand in one that fails. Default: `import()`. */
  readonly importConnector?: (name: string) => Promise<unknown>;
}

/** Receives what happens, to draw bars or print lines. Every method is called synchronously and must not throw. */
export interface SyncProgress {
  /** Whether totals are shown: to find one out may cost another look through a history. */
  readonly showsTotals?: boolean;
  /** In batch mode, how many repositories there are to do, once known. */
  repositoriesFound?(count: number): void;
  repositoryStarted?(event: { readonly name: string; readonly target: Target; readonly resumed: boolean }): void;
  /** A page was stored; `expected` is the number of leading records that this run will store, where known. */
  pageStored?(event: {
    readonly name: string;
    readonly records: Readonly<Partial<Record<TableName, number>>>;
    readonly expected: number | null;
  }): void;
  /** All records of a repository are stored; what follows from them is worked out. */
  derivationStarted?(event: { readonly name: string }): void;
  repositoryFinished?(event: { readonly name: string; readonly error: string | null }): void;
  /** A host asked for patience, or a lock is held by another sync. */
  waiting?(event: { readonly reason: string; readonly seconds: number }): void;
  /** Something a person should know, in one line. */
  note?(text: string): void;
  /** A statement that was sent to a database, when DB_ECHO is on. */
  statement?(text: string): void;
}
