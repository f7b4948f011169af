/** The corrections of an organization: subcategories that people set, and that replace those of the rules. */
import type { Subcategory, Theme } from '../vocabulary.js';
import type { Correction, WorkUnit } from '../work-unit.js';
import { checkedSubcategory } from './rows.js';

/** The subcategory of each corrected unit, by its id. */
export type Corrected = ReadonlyMap<string, Subcategory>;

/** The columns of a correction, besides the organization and the repository. */
export const CORRECTION_COLUMNS = ['id', 'subcategory', 'note', 'corrected_ms', 'corrected_by'] as const;

/** The unit as its correction classifies it; the unit itself if it has none. */
export function asCorrected(unit: WorkUnit, corrected: Corrected): WorkUnit {
  const subcategory = corrected.get(unit.id);
  if (subcategory === undefined) return unit;
  // A subcategory is its theme, a dot and a name.
  const theme = subcategory.slice(0, subcategory.indexOf('.')) as Theme;
  return { ...unit, theme, subcategory, shares: [{ subcategory, share: 1 }] };
}

/** Parses rows of a unit's id and its subcategory. */
export function correctedOf(rows: Iterable<readonly [id: unknown, subcategory: unknown]>): Corrected {
  return new Map(Array.from(rows, ([id, subcategory]) => [String(id), checkedSubcategory(subcategory)]));
}

/** Parses a row with the columns of a correction. */
export function correctionOf(row: Readonly<Record<string, unknown>>): Correction {
  const note = row['note'] ?? null;
  return {
    unitId: String(row['id']),
    subcategory: checkedSubcategory(row['subcategory']),
    note: typeof note === 'string' ? note : null,
    correctedAt: Number(row['corrected_ms']),
    correctedBy: String(row['corrected_by']),
  };
}

/** The repository of a unit: its id begins with the repository's id and a colon. */
export function repoIdOf(unitId: string): string {
  return unitId.slice(0, Math.max(0, unitId.indexOf(':')));
}
