import type { ImportTeamsHandler } from '../../../../generated/platform/operations.js';
import { teamsFileInvalid, type TeamsFileInvalid } from '../../../../generated/problems.js';
import { FileError } from '../../../sync/work-units/file-check.js';
import { inSlices } from '@plumbline/contract/system/slices';
import { teamsSteps, type Team } from '../../../sync/work-units/teams/teams-file.js';
import { describeFileProblems } from '../../figures/classification/file-problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { changeTeams } from './stored-teams.js';

export const importTeams: ImportTeamsHandler<PlatformDependencies> = async (request, dependencies) => {
  const read = await readFile(request.body);
  if ('refusal' in read) return read.refusal;
  const { teams } = read;
  const note = teams.length === 1 ? '1 team' : `${teams.length} teams`;
  await changeTeams<never>(dependencies, request, () => ({ teams, audit: { action: 'TEAMS_IMPORTED', note } }));
  return { status: 200, body: { teams: teams.length } };
};

type ReadFile = { readonly teams: readonly Team[] } | { readonly refusal: TeamsFileInvalid };

async function readFile(text: string): Promise<ReadFile> {
  try {
    return { teams: await inSlices(teamsSteps(text, 'The file')) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { refusal: teamsFileInvalid(describeFileProblems(error.problems)) };
  }
}
