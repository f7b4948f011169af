/** The interface of the four providers: repositories, and their records in pages. */
import type { Identity } from '../identity.js';
import type { JsonValue, Records, Row } from '../records.js';
import type { BlameLength } from '../sinks/sink.js';

/** Yields the requested repositories as they are found. */
export interface Provider {
  repositories(): AsyncIterable<RepositorySource>;
}

/** A repository to sync. Nothing is read from it before `open`. */
export interface RepositorySource {
  /** The name that the summary uses if the repository cannot be opened. */
  readonly name: string;
  open(): Promise<OpenRepository>;
}

export interface OpenRepository {
  readonly identity: Identity;
  readonly record: Row<'repos'>;
  /**
   * The text of its CODEOWNERS; null if it has none; undefined if it cannot be read now: the previous text is then
   * kept. Absent: this provider does not read the file.
   */
  codeowners?(): Promise<string | null | undefined>;
  /** The text of its `.mailmap`, in the same way. */
  mailmap?(): Promise<string | null | undefined>;
  /**
   * Whether each commit comes with its statistics: a page has only statistics of its commits, or of the last commit
   * of the previous page. Work units are then derived while the history is read.
   */
  readonly isInOrder?: boolean;
  /** What this source reaches, for a prune. Absent: the history of this source is never rewritten. */
  reachable?(): Promise<Reach | PartialReach>;
  /** The records of the requested target in pages. The last page has `done`; it exists even if there are no records. */
  pages(start: Start): AsyncIterable<Page>;
}

/** What the refs of a source name. */
export interface Reach {
  /** Changes with the commits that the refs name. */
  readonly refs: string;
  /** The branch of a host, if that is all that counts as reached; null if all refs count. */
  readonly branch: string | null;
  /**
   * Lists all commits that the refs reach.
   *
   * @throws if the list cannot be read to its end
   */
  list(): Promise<Reachable | PartialReach>;
  /**
   * Selects the commits that this copy of the repository has. Another copy of the same repository may be ahead, so
   * only these may be removed. Absent: there is only one copy.
   */
  known?(hashes: readonly string[]): Promise<ReadonlySet<string>>;
}

/** All commits that a source reaches. */
export interface Reachable {
  has(hash: string): boolean;
}

/** Why a source cannot list everything that it reaches. */
export interface PartialReach {
  readonly partial: string;
}

/** The position where an earlier sync with the same limits stopped: at its end (`done`), or before. */
export type Start = { readonly position: JsonValue; readonly done: boolean } | undefined;

export interface Page {
  readonly records: Records;
  readonly blameLengths?: readonly BlameLength[];
  /** The position of the next page; stored together with the records. */
  readonly position: JsonValue;
  readonly done: boolean;
  /** The total number of leading records in all pages, if known. */
  readonly expected?: number;
  /** A note about records that a limit excludes: `only the latest 100 commits are read`. */
  readonly note?: string;
  /** Whether a limit excludes records older than those of this page, which is the last one. The default is false. */
  readonly isCut?: boolean;
}
