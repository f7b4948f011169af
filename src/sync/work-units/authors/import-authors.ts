/** Stores an organization's authors, and gives every unit the author that it has by them. */
import type { WorkUnitDeriver } from '../derivation/deriver.js';
import { assignTeams, type TeamsImported } from '../teams/import-teams.js';
import type { Author } from './authors-file.js';
import { authorsAsText } from './authors-file.js';

/**
 * Replaces the authors of an organization, and derives its units again by them. An empty list takes all mappings back.
 *
 * If it is interrupted, the next sync of each remaining repository, or the same import again, does the rest.
 *
 * @param onRepository is called in front of each repository
 */
export async function importAuthors(
  deriver: WorkUnitDeriver,
  authors: readonly Author[],
  onRepository: (name: string) => void = () => {},
): Promise<Omit<TeamsImported, 'teams'>> {
  await deriver.records.writeAuthors(deriver.orgId, authorsAsText(authors));
  return assignTeams(deriver, onRepository);
}
