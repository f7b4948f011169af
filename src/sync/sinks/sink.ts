/** The interface of the four kinds of database that a sync writes to. */
import type { AnalyticsAddress } from '../../analytics/address.js';
import type { AnyRow, ColumnType, JsonValue, Table } from '../records.js';
import type { Target } from '../targets.js';
import type { DerivationRecords } from '../work-units/derivation/database/records.js';

export const DATABASE_KINDS = ['postgres', 'mongo', 'sqlite', 'clickhouse'] as const;
export type DatabaseKind = (typeof DATABASE_KINDS)[number];

/** Identifies the sync of a repository that a state belongs to. */
export interface StateKey {
  readonly repoId: string;
  readonly target: Target;
  /** The provider that reads it, or `push`. */
  readonly source: string;
}

/**
 * Identifies a state: that of a sync, of the removal of unreachable commits (prune.ts), of the removal of records by
 * their age (retention/state.ts), or of an erasure of people.
 */
export type StoredKey = Omit<StateKey, 'target'> & { readonly target: Target | 'prune' | 'retention' | 'erasure' };

/** Identifies a lock: syncs of a target of a repository, pushes into it, or the derivation of its work units. */
export type LockKey = Omit<StateKey, 'target'> & { readonly target: Target | 'pushes' | 'work_units' };

/** A time without gaps, in epoch milliseconds. */
export interface KnownHistory {
  /** Null: the beginning of the repository. */
  readonly from: number | null;
  readonly to: number;
}

/** What a sync that has not completed read so far. */
export interface HistoryInProgress {
  /** The time of its oldest record; null: it has read none. */
  readonly oldest: number | null;
  /** Where its history begins if no limit excludes older records; null: the beginning of the repository. */
  readonly from: number | null;
}

/** The progress of a sync. It is stored with each page, so that a killed run resumes where it stopped. */
export interface SyncState {
  /** Changes with each stored page. Two databases with equal revisions hold the same pages. */
  readonly revision: string;
  /** A fingerprint of the limits of the sync. A sync with other limits does not resume from the position. */
  readonly request: string;
  /** The start of the next page, in the provider's format. */
  readonly position: JsonValue;
  /** Whether the sync completed. The next sync may then begin at the position. */
  readonly done: boolean;
  /** What completed syncs know; absent until one did. */
  readonly known?: KnownHistory;
  /** Absent if the sync completed. */
  readonly reading?: HistoryInProgress;
}

/** Rows of one table, complete and stamped. No two rows of one batch have the same key. */
export interface TableRows {
  readonly table: Table;
  readonly rows: readonly AnyRow[];
}

/** The current number of lines of a file; blame of later lines is removed. */
export interface BlameLength {
  readonly path: string;
  readonly lines: number;
}

/** The data that is stored in one step. */
export interface SinkPage {
  readonly key: StoredKey;
  readonly tables: readonly TableRows[];
  readonly blameLengths: readonly BlameLength[];
  readonly state: SyncState;
}

export interface Sink {
  readonly kind: DatabaseKind;
  /** Creates the tables that are missing. */
  ensureSchema(): Promise<void>;
  readState(key: StoredKey): Promise<SyncState | undefined>;
  /**
   * Stores a page and its state: in one transaction if the engine supports it, otherwise the state last, so that a page
   * that is repeated after a crash overwrites its rows. Rows are merged as in `mergeRow`.
   */
  apply(page: SinkPage): Promise<void>;
  /** The stored rows of one repository in key order, in batches. */
  scan(table: Table, repoId: string): AsyncIterable<readonly AnyRow[]>;
  /** Removes the rows of one repository. */
  clear(table: Table, repoId: string): Promise<void>;
  /**
   * Removes the rows of one repository in which each of these columns has one of its values, in one transaction if the
   * engine supports it. Idempotent.
   */
  remove(table: Table, repoId: string, where: RemovedRows): Promise<void>;
  /** Removes the states of all syncs of one repository, so that the next sync reads it from the beginning. */
  clearStates(repoId: string): Promise<void>;
  /** The repositories of an organization, ordered by id. */
  repositories(orgId: string): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** Removes the former versions of changed rows from engines that keep them readable. */
  dropFormerVersions?(): Promise<void>;
  /** Takes the right to read with SQL from the readers of an organization, on engines that have readers. */
  removeReaders?(orgId: string): Promise<void>;
  /** Takes a lock; undefined if another process holds it. */
  tryLock(key: LockKey): Promise<Lock | undefined>;
  /** Absent if the analytics do not support this engine; no work units are then derived. */
  readonly derivation?: DerivationRecords;
  /** The address of its work units, which are in the same database. */
  readonly unitsAddress?: AnalyticsAddress;
  close(): Promise<void>;
}

/** Values by column, in the type of the column. */
export type RemovedRows = Readonly<Record<string, readonly string[] | readonly number[]>>;

export interface Lock {
  /**
   * Renews the lock, if it can expire.
   *
   * @throws SyncError (`lock_lost`) when the lock is no longer held; other errors leave that unknown
   */
  renew(): Promise<void>;
  release(): Promise<void>;
  /** Aborted when the database reports that the lock was lost; absent if only a renewal detects that. */
  readonly lost?: AbortSignal;
}

/** The options of every sink. */
export interface SinkOptions {
  readonly now: () => number;
  /** The number of repositories that are written concurrently. */
  readonly concurrency: number;
  /** Receives each statement, if DB_ECHO is on. */
  readonly echo: ((statement: string) => void) | undefined;
}

/** The type of a column of a table. */
export function typeOfColumn(table: Table, name: string): ColumnType {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw new Error(`${table.name} has no column ${name}`);
  return column.type;
}

/** The column that identifies the repository of a row. */
export function repositoryColumn(table: Table): string {
  return table.name === 'repos' ? 'id' : 'repo_id';
}
