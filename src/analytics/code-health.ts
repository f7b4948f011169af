/** The health of the code of one repository: what changes again, who knows what, and where changes are hard. */
import type { DateRange } from './analytics.js';

export interface CodeHealthRequest {
  /** A value of the dimension REPO. */
  readonly repo: string;
  readonly dateRange: DateRange;
  /** The number of path segments of a directory. */
  readonly depth: number;
  /** The number of directories, and of hotspots. */
  readonly topN: number;
}

/** Lines of files, without binary ones. */
export interface Rework {
  readonly addedLines: number;
  readonly deletedLines: number;
  /** Deleted lines that may have been added to the same file in the 21 days before: at most these. */
  readonly reworkedLines: number;
  /** The share of the deleted lines; null without any. */
  readonly share: number | null;
}

export interface DirectoryHealth {
  /** `.` is the root. */
  readonly path: string;
  /** Changes of a file by a commit. */
  readonly changes: number;
  /** The number of different people. */
  readonly authors: number;
  /** The smallest number of people who made at least half of the changes. */
  readonly busFactor: number;
}

export interface Hotspot {
  readonly path: string;
  readonly changes: number;
  readonly changedLines: number;
  /** The lines of the file when blame was synced; null: unknown. */
  readonly lines: number | null;
  /** Changes times lines; null: unknown. */
  readonly score: number | null;
}

export interface CodeHealth {
  readonly repo: string;
  /** Commits of people in the range, without merges. */
  readonly commits: number;
  /** The share of these whose changed files are known; null without commits. */
  readonly coverage: number | null;
  /** The day of the earliest commit whose changed files are known; null: there is none. */
  readonly knownSince: string | null;
  /** null: of no commit the files are known. */
  readonly rework: Rework | null;
  /** Most changes first. */
  readonly directories: readonly DirectoryHealth[];
  /** Highest score first, then those without one by changes. */
  readonly hotspots: readonly Hotspot[];
}
