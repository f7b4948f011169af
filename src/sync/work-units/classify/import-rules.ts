/** Stores an organization's rules, and classifies its units by them. */
import type { DerivationResources } from '../derivation/resources.js';
import { assignTeams, type TeamsImported } from '../teams/import-teams.js';

/**
 * Replaces the rules of an organization, and derives its units again. A file without rules removes all of them.
 *
 * If it is interrupted, the next sync of each remaining repository, or a repeated import, completes the work.
 *
 * @param text the valid text of a file with rules of an organization
 * @param onRepository is called before each repository
 */
export async function importRules(
  resources: DerivationResources,
  text: string,
  onRepository: (name: string) => void = () => {},
): Promise<Omit<TeamsImported, 'teams'>> {
  await resources.records.writeFile('rules', resources.orgId, text);
  return assignTeams(resources, onRepository);
}
