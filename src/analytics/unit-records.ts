import type { Share } from './work-unit.js';

/** What the records tell of a unit, for a person. */
export interface UnitDescription {
  readonly title: string;
  /** Its page at the code host; null where that is not known. */
  readonly url: string | null;
}

/** Why a unit is classified as it is, by the records and rules of now. */
export interface UnitExplanation extends UnitDescription {
  readonly id: string;
  readonly shares: readonly Share[];
  readonly contributions: readonly {
    readonly rule: string;
    readonly signal: string;
    readonly match: string;
    readonly subcategory: string;
    readonly points: number;
  }[];
}

/** The records that units are derived from. Every method reads those of the given organization only. */
export interface UnitRecords {
  /**
   * @param ids of units of the organization; those without a record are left out of the answer
   * @throws AnalyticsUnavailable while the store cannot be reached
   */
  describe(orgId: string, ids: readonly string[]): Promise<ReadonlyMap<string, UnitDescription>>;
  /** @returns null: the organization has no such unit. @throws as `describe` does */
  explain(orgId: string, id: string): Promise<UnitExplanation | null>;
}
