/** A work unit: the one thing that every figure of the analytics is made of. */
import type { Subcategory, Theme, WorkType } from './vocabulary.js';

/** A part of a unit; the shares of one unit add up to 1. */
export interface Share {
  readonly subcategory: Subcategory;
  /** Greater than 0, at most 1. Stores keep whole millionths: compare what was read with `storedShares(...)`. */
  readonly share: number;
}

/** A pull or merge request with its commits, a commit outside any of them, a deployment, or an incident. */
export interface WorkUnit {
  /**
   * Unique within the organization and stable over derivations, for example `<repo id>:pull_request:42`. It begins with
   * the repository's id and a colon.
   */
  readonly id: string;
  readonly workType: WorkType;
  /** `owner/name`, or the directory's name. */
  readonly repo: string;
  /** A team's id, or `unassigned`. */
  readonly team: string;
  /** The lower-cased e-mail, else the login, else the name; empty where the source tells none. */
  readonly author: string;
  /** The theme and subcategory with the largest share. */
  readonly theme: Theme;
  readonly subcategory: Subcategory;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Epoch milliseconds; null while it is not complete. */
  readonly completedAt: number | null;
  /** YYYY-MM-DD in UTC: of the completion, else of the last activity. */
  readonly day: string;
  /** Additions and deletions; null where the source did not tell. */
  readonly churnLoc: number | null;
  readonly shares: readonly Share[];
}

/** What changes in the work units of one repository. */
export interface WorkUnitChange {
  readonly orgId: string;
  readonly repoId: string;
  /** Units that are new or different; each replaces the one with its id. */
  readonly units: readonly WorkUnit[];
  /** Ids of units that are no more (a commit that became part of a pull request). */
  readonly removed: readonly string[];
  /** The store has none of these units, each of which occurs once: nothing is looked up or taken away for them. */
  readonly areNew?: boolean;
}

/** Where work units are kept: beside the records that they come from. */
export interface WorkUnitStore {
  /** Creates what is missing. */
  ensureSchema(): Promise<void>;
  /** Applies a change in one step where the engine has transactions; repeating it changes nothing. */
  apply(change: WorkUnitChange): Promise<void>;
  /** The stored units of one repository, ordered by id, in batches. */
  scan(orgId: string, repoId: string): AsyncIterable<readonly WorkUnit[]>;
  /** One unit, for explanations. */
  find(orgId: string, id: string): Promise<WorkUnit | undefined>;
  /** To be called after many changes: gives an engine that plans by statistics those of what is new. */
  settle?(): Promise<void>;
  close(): Promise<void>;
}
