/** Storing an organization's teams, and giving every unit the team that it has by them. */
import type { WorkUnitDeriver } from '../deriver.js';
import { refreshRepository } from '../derivation-run.js';
import type { Team } from './teams-file.js';
import { teamsAsText } from './teams-file.js';

export interface TeamsImported {
  readonly teams: number;
  readonly repositories: number;
  /** Units that were derived again. */
  readonly workUnits: number;
}

/**
 * Replaces the teams of an organization.
 *
 * If it is interrupted, the next sync of each repository that is left, or the same import again, does the rest.
 *
 * @param onRepository is called in front of each repository
 */
export async function importTeams(
  deriver: WorkUnitDeriver,
  teams: readonly Team[],
  onRepository: (name: string) => void = () => {},
): Promise<TeamsImported> {
  await deriver.records.writeTeams(deriver.orgId, teamsAsText(teams));
  const repositories = await deriver.records.repositories(deriver.orgId);
  let workUnits = 0;
  for (const { id, name } of repositories) {
    onRepository(name);
    workUnits += await refreshRepository(deriver, id);
  }
  return { teams: teams.length, repositories: repositories.length, workUnits };
}
