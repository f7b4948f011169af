/** A work unit: the basis of all figures of the analytics. */
import type { Phase, Subcategory, Theme, WorkType } from './vocabulary.js';

/** A share of a unit; the shares of a unit add up to 1. */
export interface Share {
  readonly subcategory: Subcategory;
  /** Greater than 0, at most 1. Stores keep integer millionths: compare stored shares with `storedShares(...)`. */
  readonly share: number;
}

/** A pull or merge request with its commits, a commit outside any request, a deployment, an incident, or an issue. */
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
  /** The lower-cased e-mail, else the login, else the name; empty if unknown. */
  readonly author: string;
  /** The theme and subcategory with the largest share. */
  readonly theme: Theme;
  readonly subcategory: Subcategory;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Epoch milliseconds; null if it is not complete. */
  readonly completedAt: number | null;
  /** YYYY-MM-DD in the time zone of the organization: the day of completion, else of the last activity. */
  readonly day: string;
  /** Additions and deletions; null if unknown. */
  readonly churnLoc: number | null;
  readonly shares: readonly Share[];
  /** The phases of a merged request; absent where none is known. */
  readonly phases?: Phases;
  /** Whether an incident counts against a deployment to production. */
  readonly changeFailed?: boolean;
  /** When a request was open; absent unless a host reported the request, because only its merge is known then. */
  readonly openness?: Openness;
  /** Who reviewed a request whose reviews are known. Empty: nobody did. */
  readonly reviewers?: readonly Reviewer[];
  /**
   * The AI assistant that most commits name, or `unassisted`; absent where the records cannot say so: units without
   * commits, such as an issue, and requests whose commits are not stored.
   */
  readonly assistant?: string;
  /** The people whom commits name beside their author, in the form of an author and in their order; absent: nobody. */
  readonly coAuthors?: readonly string[];
  /**
   * The epic that most of its issues name, or `unplanned`; absent where the records cannot say so: units without issues in
   * a repository whose issues name no epics, and deployments.
   */
  readonly epic?: string;
  /** The initiative above the epic, or `unplanned`; absent as above, and where the epic has none. */
  readonly initiative?: string;
}

/** When a request was open. Epoch milliseconds. */
export interface Openness {
  readonly openedAt: number;
  /** When it was merged or closed; null while it is open. */
  readonly closedAt: number | null;
}

/** A person who reviewed a request of somebody else. */
export interface Reviewer {
  /** The name of the reviewer, in the form of a unit's author. */
  readonly reviewer: string;
  /** The team that lists the reviewer as a member, or `unassigned`. */
  readonly team: string;
  /** The number of submitted reviews, at least 1. */
  readonly reviews: number;
}

/** Milliseconds; a phase that is unknown is absent. */
export type Phases = Readonly<Partial<Record<Phase, number>>>;

/** A change of the work units of one repository. */
export interface WorkUnitChange {
  readonly orgId: string;
  readonly repoId: string;
  /** New or changed units; each replaces the one with its id. */
  readonly units: readonly WorkUnit[];
  /** Ids of removed units (such as a commit that became part of a pull request). */
  readonly removed: readonly string[];
  /** The store has none of these units, each of which occurs once: it looks up and deletes nothing. */
  readonly areNew?: boolean;
}

/** How a unit is classified. */
export type Classified = Pick<WorkUnit, 'theme' | 'subcategory' | 'shares'>;

/** A subcategory that an organization has set for a unit. It replaces the classification by rules. */
export interface Correction {
  readonly unitId: string;
  readonly subcategory: Subcategory;
  readonly note: string | null;
  /** Epoch milliseconds. */
  readonly correctedAt: number;
  /** An e-mail address or a name, for display. */
  readonly correctedBy: string;
}

/**
 * The corrections of organizations. Every change of the store obeys them: a unit that is derived again stays corrected,
 * and so does one that was removed and comes back.
 */
export interface CorrectionStore {
  /**
   * Stores a correction, in place of an earlier one of the unit, and classifies the unit by it; atomically if the engine
   * has transactions.
   *
   * @returns false: the organization has no such unit, and nothing was stored
   */
  correct(orgId: string, correction: Correction): Promise<boolean>;
  /**
   * Removes a correction, and classifies the unit as given, in the same way.
   *
   * @param classified undefined: the unit is not derived any more, and is left as it is
   * @returns false: there is no such correction
   */
  withdraw(orgId: string, unitId: string, classified: Classified | undefined): Promise<boolean>;
  /** Classifies a unit as given, in the same way, unless it is gone or has a correction. */
  classify(orgId: string, unitId: string, classified: Classified): Promise<void>;
  findCorrection(orgId: string, unitId: string): Promise<Correction | undefined>;
  /** Ordered by the units' ids. @param after the id of the last one of the page before; '' for the first page */
  listCorrections(orgId: string, after: string, limit: number): Promise<readonly Correction[]>;
  countCorrections(orgId: string): Promise<number>;
  /** Removes the corrections of one repository. */
  clearCorrections(orgId: string, repoId: string): Promise<void>;
}

/** The latest units of an organization. */
export interface RecentUnitStore {
  /**
   * The ids of the units of a day or a later one, latest first, and the number of all of these units.
   *
   * @param since YYYY-MM-DD
   * @param limit the largest number of ids
   */
  recentUnits(orgId: string, since: string, limit: number): Promise<RecentUnits>;
}

/** Some of the latest units. */
export interface RecentUnits {
  readonly ids: readonly string[];
  /** How many units there are, listed or not. */
  readonly total: number;
}

/** The store of work units: the database of the records that they are derived from. */
export interface WorkUnitStore extends UnitStore, CorrectionStore, RecentUnitStore {}

/** The part of the store that a derivation uses. */
export interface UnitStore {
  /** Creates missing tables. */
  ensureSchema(): Promise<void>;
  /** Applies a change, atomically if the engine has transactions; idempotent. */
  apply(change: WorkUnitChange): Promise<void>;
  /** The stored units of one repository, ordered by id, in batches. */
  scan(orgId: string, repoId: string): AsyncIterable<readonly WorkUnit[]>;
  /** One unit, for explanations. */
  find(orgId: string, id: string): Promise<WorkUnit | undefined>;
  /** Call it after many changes: updates the statistics of engines that plan by them. */
  settle?(): Promise<void>;
  close(): Promise<void>;
}
