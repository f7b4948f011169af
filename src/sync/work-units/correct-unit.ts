/** Corrects the classification of single units for an organization, and withdraws corrections. */
import type { Correction } from '../../analytics/work-unit.js';
import type { CorrectableResources } from './derivation/resources.js';
import { deriveUnit } from './explain.js';

/** Maximum number of corrections of an organization: every change of units reads those of its repository. */
export const MOST_CORRECTIONS = 10_000;

export type CorrectionOutcome = 'corrected' | 'no_such_unit' | 'limit_reached';

/**
 * Corrects a unit. The store obeys the correction from then on, whatever is derived again.
 *
 * The limit is not exact if several corrections are made at once.
 */
export async function correctUnit(
  { orgId, corrections }: CorrectableResources,
  correction: Correction,
): Promise<CorrectionOutcome> {
  const isFull = (await corrections.countCorrections(orgId)) >= MOST_CORRECTIONS;
  if (isFull && (await corrections.findCorrection(orgId, correction.unitId)) === undefined) return 'limit_reached';
  return (await corrections.correct(orgId, correction)) ? 'corrected' : 'no_such_unit';
}

/**
 * Withdraws the correction of a unit, and classifies it by the rules.
 *
 * @returns false: the organization has no such correction
 */
export async function withdrawCorrection(resources: CorrectableResources, unitId: string): Promise<boolean> {
  const { orgId, corrections } = resources;
  if ((await corrections.findCorrection(orgId, unitId)) === undefined) return false;
  const derived = await deriveUnit(resources, unitId);
  if (derived === undefined) return corrections.withdraw(orgId, unitId, undefined);
  const { theme, subcategory, shares } = derived.unit;
  return corrections.withdraw(orgId, unitId, { theme, subcategory, shares });
}
