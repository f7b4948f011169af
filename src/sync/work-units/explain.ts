/** Explains the classification of a unit: the points from each rule, and their reasons. */
import { asCorrected } from '../../analytics/store/corrections.js';
import type { Subcategory } from '../../analytics/vocabulary.js';
import type { Correction, WorkUnit } from '../../analytics/work-unit.js';
import type { Contribution } from './classify/classifier.js';
import { parseUnitId } from './derivation/derive.js';
import { derivableUnits } from './derivation/derivable-units.js';
import type { CorrectableResources, DerivationResources } from './derivation/resources.js';
import { repositoryContext } from './derivation/plan.js';
import { RecordReader } from './derivation/read.js';

export interface Explanation {
  /** The unit as the current rules derive it, or as it was corrected. */
  readonly unit: WorkUnit;
  /** The title for display. */
  readonly title: string;
  /** Equal contributions are summed up. */
  readonly contributions: readonly Contribution[];
  /** The stored unit; it differs if it was derived with other rules or from older records. */
  readonly stored: WorkUnit | undefined;
  /** The correction in force, and what the rules say instead. */
  readonly correction: (Correction & { readonly insteadOf: Subcategory }) | undefined;
}

/** A unit as the current records and rules derive it. */
export interface DerivedUnit {
  readonly unit: WorkUnit;
  readonly title: string;
  readonly contributions: readonly Contribution[];
}

/**
 * Derives one unit again and explains the result.
 *
 * @param id as `plumbline` and the analytics show it: `<repository id>:<work type>:<number, hash or id>`
 * @returns undefined if the organization has no such unit
 */
export async function explainUnit(resources: CorrectableResources, id: string): Promise<Explanation | undefined> {
  const { orgId, store, corrections } = resources;
  const stored = await store.find(orgId, id);
  // The store searches within the organization only.
  if (stored === undefined) return undefined;
  const derived = await deriveUnit(resources, id);
  if (derived === undefined) return undefined;
  const correction = await corrections.findCorrection(orgId, id);
  if (correction === undefined) return { ...derived, stored, correction: undefined };
  const { subcategory } = derived.unit;
  const unit = asCorrected(derived.unit, new Map([[id, correction.subcategory]]));
  return { ...derived, unit, stored, correction: { ...correction, insteadOf: subcategory } };
}

/**
 * Derives one unit without corrections. The caller has found it, or its correction, in the organization.
 *
 * @returns undefined if there is no record of it
 */
export async function deriveUnit(resources: DerivationResources, id: string): Promise<DerivedUnit | undefined> {
  const parsed = parseUnitId(id);
  if (parsed === undefined) return undefined;
  const { repoId, workType, name } = parsed;
  const context = await repositoryContext(resources, repoId, await resources.records.readProgress(repoId));
  if (context === undefined) return undefined;
  for await (const { title, derive } of derivableUnits(new RecordReader(resources.records, context), workType, [
    name,
  ])) {
    const found: Contribution[] = [];
    const unit = derive((each) => {
      found.push(each);
    });
    return unit === undefined ? undefined : { unit, title, contributions: addUp(found) };
  }
  return undefined;
}

/** Adds up contributions that differ only in their points, in the order of their first occurrence. */
export function addUp(contributions: readonly Contribution[]): readonly Contribution[] {
  const sums = new Map<string, Contribution>();
  for (const each of contributions) {
    const key = JSON.stringify([each.rule, each.signal, each.match, each.subcategory]);
    sums.set(key, { ...each, points: each.points + (sums.get(key)?.points ?? 0) });
  }
  return [...sums.values()];
}
