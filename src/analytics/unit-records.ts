import type { CodeHealth, CodeHealthRequest } from './code-health.js';
import type { OrganizationCalendar } from './organization-calendar.js';
import type { TimeZone } from './time-zone.js';
import type { Subcategory, WorkType } from './vocabulary.js';
import type { Correction, Phases, Share } from './work-unit.js';

/** The description of a unit, from the records. */
export interface UnitDescription {
  readonly title: string;
  /** The page of the unit at the code host; null if unknown. */
  readonly url: string | null;
  /** The ids of the requests that close an issue, in the order of their numbers; empty for other units. */
  readonly closedBy: readonly string[];
  /** The ids of the requests and commits that name the key of an issue; absent or empty for other units. */
  readonly namedBy?: readonly string[];
}

/** The explanation of a unit's classification, from the current records and rules, or the correction. */
export interface UnitExplanation extends Omit<UnitDescription, 'closedBy' | 'namedBy'> {
  readonly id: string;
  readonly shares: readonly Share[];
  readonly contributions: readonly {
    readonly rule: string;
    readonly signal: string;
    readonly match: string;
    readonly subcategory: string;
    readonly points: number;
  }[];
  /** The correction in force, and the subcategory by the rules; null if the rules decide. */
  readonly correction: (Omit<Correction, 'unitId'> & { readonly insteadOf: Subcategory }) | null;
  /** The phases of a merged request; null for other units, and where none is known. */
  readonly phases: Phases | null;
}

/** The days of which syncs know the work of one type in a repository, as YYYY-MM-DD. */
export interface WorkHistory {
  readonly repo: string;
  readonly workType: WorkType;
  /**
   * The first day that is known, where the limits of a sync excluded what is older, or records were removed by their age;
   * null: all is known.
   */
  readonly knownSince: string | null;
  /** The day of the last complete sync; null: no sync has said. */
  readonly knownUntil: string | null;
  /** Programs have pushed it, and no sync reads it; absent: false. */
  readonly isPushed?: boolean;
}

/** The records that units are derived from. All methods read those of the given organization only. */
export interface UnitRecords {
  /**
   * @param ids of units of the organization; those without a record are omitted from the result
   * @throws AnalyticsUnavailable while the store is unreachable
   */
  describe(orgId: string, ids: readonly string[]): Promise<ReadonlyMap<string, UnitDescription>>;
  /** @returns null: the organization has no such unit. @throws like `describe` */
  explain(orgId: string, id: string): Promise<UnitExplanation | null>;
  /**
   * A repository that the organization does not have has no commits.
   *
   * @throws like `describe`; the signal's reason once it is aborted
   */
  codeHealth(orgId: string, request: CodeHealthRequest, signal: AbortSignal): Promise<CodeHealth>;
  /** In any order. Days are those of the time zone. @throws like `describe` */
  workHistories(orgId: string, timeZone: TimeZone): Promise<readonly WorkHistory[]>;
  /** @throws like `describe` */
  calendar(orgId: string): Promise<OrganizationCalendar>;
}
