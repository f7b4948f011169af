/** Stores an organization's teams, and assigns them to its units. */
import type { DerivationResources } from '../derivation/resources.js';
import { refreshRepository } from '../derivation/derivation.js';
import type { Team } from './teams-file.js';
import { teamsAsText } from './teams-file.js';

export interface TeamsImported {
  readonly teams: number;
  readonly repositories: number;
  /** The number of units derived again. */
  readonly workUnits: number;
}

/**
 * Replaces the teams of an organization, and assigns them to its units.
 *
 * If it is interrupted, the next sync of each remaining repository, or a repeated import, completes the work.
 *
 * @param onRepository is called before each repository
 */
export async function importTeams(
  resources: DerivationResources,
  teams: readonly Team[],
  onRepository: (name: string) => void = () => {},
): Promise<TeamsImported> {
  await resources.records.writeFile('teams', resources.orgId, teamsAsText(teams));
  return { teams: teams.length, ...(await assignTeams(resources, onRepository)) };
}

/**
 * Derives the units of an organization again whose teams, authors or rules have changed. It can be repeated at any
 * time.
 */
export async function assignTeams(
  resources: DerivationResources,
  onRepository: (name: string) => void = () => {},
): Promise<Omit<TeamsImported, 'teams'>> {
  const repositories = await resources.records.repositories(resources.orgId);
  let workUnits = 0;
  for (const { id, name } of repositories) {
    onRepository(name);
    workUnits += await refreshRepository(resources, id);
  }
  return { repositories: repositories.length, workUnits };
}
