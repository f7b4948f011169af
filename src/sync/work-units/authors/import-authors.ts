/** Stores an organization's authors, and updates the authors of its units. */
import type { DerivationResources } from '../derivation/resources.js';
import { assignTeams, type TeamsImported } from '../teams/import-teams.js';
import type { Author } from './authors-file.js';
import { authorsAsText } from './authors-file.js';

/**
 * Replaces the authors of an organization, and derives its units again. An empty list removes all mappings.
 *
 * If it is interrupted, the next sync of each remaining repository, or a repeated import, completes the work.
 *
 * @param onRepository is called before each repository
 */
export async function importAuthors(
  resources: DerivationResources,
  authors: readonly Author[],
  onRepository: (name: string) => void = () => {},
): Promise<Omit<TeamsImported, 'teams'>> {
  await resources.records.writeFile('authors', resources.orgId, authorsAsText(authors));
  return assignTeams(resources, onRepository);
}
