import type { GetRuleSuggestionsHandler } from '../../../../generated/platform/operations.js';
import { correctionNotFound, workUnitNotFound } from '../../../../generated/problems.js';
import { suggestRules, suggestionLists } from '../../../sync/work-units/suggest-rules.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { firstDay, readStoredRules } from './stored-rules.js';

/** The titles of this many days tell which words of a title are distinctive. */
const comparedDays = 90;

/** Suggests rules by which a unit would count for what it was corrected to, or for another subcategory. */
export const getRuleSuggestions: GetRuleSuggestionsHandler<PlatformDependencies> = (
  { query: { unit_id: unitId, subcategory: proposed }, principal },
  { records, clock },
) => {
  const { org_id: orgId } = principal;
  return records.of(orgId, async (resources) => {
    const missing = workUnitNotFound({ message: 'The organization has no such work unit.' });
    // The store searches within the organization only.
    if ((await resources.store.find(orgId, unitId)) === undefined) return missing;
    const wanted = proposed ?? (await resources.corrections.findCorrection(orgId, unitId))?.subcategory;
    if (wanted === undefined) {
      return correctionNotFound({ message: 'The work unit is not corrected, and no subcategory is proposed.' });
    }
    const { rules: own } = await readStoredRules(resources);
    const since = await firstDay(resources, comparedDays, clock.now());
    const found = await suggestRules(resources, unitId, { own, wanted, since });
    if (found === undefined) return missing;
    const suggestions = found.items.map(({ kind, pattern, rule: { name, weight = 1 } }) => {
      return { list: suggestionLists[kind], pattern, name, weight };
    });
    const { title, byRules } = found;
    return { status: 200, body: { unit_id: unitId, title, subcategory: wanted, by_rules: byRules, suggestions } };
  });
};
