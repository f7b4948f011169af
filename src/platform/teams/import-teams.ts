import type { ImportTeamsHandler } from '../../../generated/platform/operations.js';
import { teamsFileInvalid, type TeamsFileInvalid } from '../../../generated/problems.js';
import { FileError, MOST_PROBLEMS, type FileProblem } from '../../sync/work-units/file-check.js';
import { inSlices } from '../../system/slices.js';
import { teamsSteps, type Team } from '../../sync/work-units/teams/teams-file.js';
import type { PlatformDependencies } from '../dependencies.js';
import { changeTeams } from './stored-teams.js';

/** Maximum number of problems in the reply. Its message contains only the first few. */
const mostListed = 100;
const mostNamed = 3;

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
    return { refusal: problemOf(error.problems) };
  }
}

function problemOf(found: readonly FileProblem[]): TeamsFileInvalid {
  const lastLine = Infinity;
  const sorted = found.toSorted((a, b) => (a.line ?? lastLine) - (b.line ?? lastLine));
  const named = sorted.slice(0, mostNamed).map(({ line, place, text }) => {
    return `${line === null ? '' : `line ${line}: `}${place === null ? '' : `${place} `}${text}`;
  });
  const least = found.length === MOST_PROBLEMS ? 'at least ' : '';
  const count = found.length === 1 ? '1 problem' : `${least}${found.length} problems`;
  const more = found.length > mostNamed ? ` (and ${found.length - mostNamed} more)` : '';
  return teamsFileInvalid({
    message: `The file has ${count}: ${named.join('; ')}${more}.`,
    problems: sorted.slice(0, mostListed).map(({ line, place, text }) => ({ line, place, message: text })),
  });
}
