/** Corrects the classification of single units for an organization, and withdraws corrections. */
import { isDeepStrictEqual } from 'node:util';
import type { Classified, Correction } from '../../analytics/work-unit.js';
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

/** Syncs that change the records of one unit come one after the other, and each takes longer than a derivation. */
const MOST_DERIVATIONS = 5;

/**
 * Withdraws the correction of a unit, and classifies it by the rules.
 *
 * A sync can change the records after they were read here, and store the unit before it is stored here. So the unit is
 * derived again after it was stored: the classification that is stored last is that of the latest records.
 *
 * @returns false: the organization has no such correction
 */
export async function withdrawCorrection(resources: CorrectableResources, unitId: string): Promise<boolean> {
  const { orgId, corrections } = resources;
  if ((await corrections.findCorrection(orgId, unitId)) === undefined) return false;
  let stored = await classifiedByRules(resources, unitId);
  if (!(await corrections.withdraw(orgId, unitId, stored))) return false;
  for (let derivations = 1; derivations < MOST_DERIVATIONS; derivations++) {
    const latest = await classifiedByRules(resources, unitId);
    if (latest === undefined || isDeepStrictEqual(latest, stored)) break;
    await corrections.classify(orgId, unitId, latest);
    stored = latest;
  }
  return true;
}

/** @returns undefined if there is no record of the unit */
async function classifiedByRules(resources: CorrectableResources, unitId: string): Promise<Classified | undefined> {
  const derived = await deriveUnit(resources, unitId);
  if (derived === undefined) return undefined;
  const { theme, subcategory, shares } = derived.unit;
  return { theme, subcategory, shares };
}
