/** The one interface of the four providers: repositories, and pages of records of each. */
import type { Identity } from '../identity.js';
import type { JsonValue, Records, Row } from '../records.js';
import type { BlameLength } from '../sinks/sink.js';

/** Lists the requested repositories, as they are found. */
export interface Provider {
  repositories(): AsyncIterable<RepositorySource>;
}

/** A repository that is to be synced; nothing is read from it before `open`. */
export interface RepositorySource {
  /** What the summary calls it if it cannot be opened. */
  readonly name: string;
  open(): Promise<OpenRepository>;
}

export interface OpenRepository {
  readonly identity: Identity;
  readonly record: Row<'repos'>;
  /**
   * The text of its CODEOWNERS, null where it has none, undefined where that cannot be found out now: what was read last
   * then stands. Absent: this provider does not read it.
   */
  codeowners?(): Promise<string | null | undefined>;
  /** The same for its `.mailmap`. */
  mailmap?(): Promise<string | null | undefined>;
  /**
   * True where each commit comes with its statistics: those of a page belong to its own commits, or go on with the last
   * commit of the page before. Work units are then made while the history is read.
   */
  readonly isInOrder?: boolean;
  /**
   * The records of the requested target, page by page; the last page has `done`. There is always a last page, even
   * when there are no records.
   */
  pages(start: Start): AsyncIterable<Page>;
}

/** Where an earlier sync with the same limits stopped: in the middle, or (`done`) at its end. */
export type Start = { readonly position: JsonValue; readonly done: boolean } | undefined;

export interface Page {
  readonly records: Records;
  readonly blameLengths?: readonly BlameLength[];
  /** Where the next page begins; stored together with the records. */
  readonly position: JsonValue;
  readonly done: boolean;
  /** The number of leading records that all pages from the start will have, where it is known. */
  readonly expected?: number;
  /** What a limit leaves out, for people: `only the latest 100 commits are read`. */
  readonly note?: string;
}
