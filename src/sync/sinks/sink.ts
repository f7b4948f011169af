/** The one interface of the four kinds of database that a sync writes to. */
import type { AnalyticsAddress } from '../../analytics/address.js';
import type { AnyRow, JsonValue, Table } from '../records.js';
import type { ProviderName, Target } from '../targets.js';
import type { DerivationRecords } from '../work-units/derivation/database/records.js';

export const DATABASE_KINDS = ['postgres', 'mongo', 'sqlite', 'clickhouse'] as const;
export type DatabaseKind = (typeof DATABASE_KINDS)[number];

/** Identifies the sync of a repository that a state belongs to. */
export interface StateKey {
  readonly repoId: string;
  readonly target: Target;
  readonly source: ProviderName;
}

/** What is locked: one sync of a repository, or the derivation of its work units. */
export type LockKey = Omit<StateKey, 'target'> & { readonly target: Target | 'work_units' };

/** The progress of a sync. It is stored with each page, so that a killed run resumes where it stopped. */
export interface SyncState {
  /** Changes with each page stored: two databases with equal revisions hold the same pages. */
  readonly revision: string;
  /** The limits under which the position was reached; another request does not resume from it. */
  readonly request: string;
  /** Where the next page begins, in the provider's own terms. */
  readonly position: JsonValue;
  /** Whether the sync completed; the next one may then begin at the position. */
  readonly done: boolean;
}

/** Rows of one table, complete and stamped. No two rows of one batch have the same key. */
export interface TableRows {
  readonly table: Table;
  readonly rows: readonly AnyRow[];
}

/** Says that a file now has exactly that many lines: blame beyond them is removed. */
export interface BlameLength {
  readonly path: string;
  readonly lines: number;
}

/** What is stored in one step. */
export interface SinkPage {
  readonly key: StateKey;
  readonly tables: readonly TableRows[];
  readonly blameLengths: readonly BlameLength[];
  readonly state: SyncState;
}

export interface Sink {
  readonly kind: DatabaseKind;
  /** Creates the tables that are missing. */
  ensureSchema(): Promise<void>;
  readState(key: StateKey): Promise<SyncState | undefined>;
  /**
   * Stores a page and its state: in one transaction where the engine has them, else the state last, so that what is
   * repeated after a crash is written over itself. Rows are merged as `mergeRow` says.
   */
  apply(page: SinkPage): Promise<void>;
  /** The stored rows of one repository in key order, in batches. */
  scan(table: Table, repoId: string): AsyncIterable<readonly AnyRow[]>;
  /** Removes the rows of one repository. */
  clear(table: Table, repoId: string): Promise<void>;
  /** Removes the states of all syncs of one repository: the next sync reads it from the beginning. */
  clearStates(repoId: string): Promise<void>;
  /** Takes a lock, or returns undefined while another process holds it. */
  tryLock(key: LockKey): Promise<Lock | undefined>;
  /** Absent where no engine of the analytics reads this kind of database: no work units are derived there. */
  readonly derivation?: DerivationRecords;
  /** Where its work units are kept: in the same database. */
  readonly unitsAddress?: AnalyticsAddress;
  close(): Promise<void>;
}

export interface Lock {
  /**
   * Keeps the lock from expiring, where it can.
   *
   * @throws SyncError (`lock_lost`) when the lock is no longer held; other errors do not say whether it is
   */
  renew(): Promise<void>;
  release(): Promise<void>;
  /** Aborted as soon as the database reports that the lock is gone; absent where only a renewal tells. */
  readonly lost?: AbortSignal;
}

/** What every sink is opened with. */
export interface SinkOptions {
  readonly now: () => number;
  /** How many repositories are written at once. */
  readonly concurrency: number;
  /** Receives each statement, when DB_ECHO is on. */
  readonly echo: ((statement: string) => void) | undefined;
}

/** The column by which a table's rows belong to a repository. */
export function repositoryColumn(table: Table): string {
  return table.name === 'repos' ? 'id' : 'repo_id';
}
