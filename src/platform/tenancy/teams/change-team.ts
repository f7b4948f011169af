import { isDeepStrictEqual } from 'node:util';
import type {
  CreateTeamHandler,
  DeleteTeamHandler,
  Schemas,
  UpdateTeamHandler,
} from '../../../../generated/platform/operations.js';
import {
  teamExists,
  teamLimitReached,
  type TeamExists,
  type TeamLimitReached,
  type TeamNotFound,
  type ValidationFailed,
} from '../../../../generated/problems.js';
import { FileCheck } from '../../../sync/work-units/file-check.js';
import { checkTeam, MOST_TEAMS, type Team } from '../../../sync/work-units/teams/teams-file.js';
import { refuseBody } from '../../figures/classification/file-problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { isOfLostAttempt } from './lost-attempt.js';
import { noSuchTeam } from './read-teams.js';
import { changeTeams, teamOf } from './stored-teams.js';

export const createTeam: CreateTeamHandler<PlatformDependencies> = async (request, dependencies) => {
  const { body, principal } = request;
  const checked = checkedTeam(body);
  if ('refusal' in checked) return checked.refusal;
  const { team } = checked;
  const outcome = await changeTeams<TeamExists | TeamLimitReached>(dependencies, request, async (teams) => {
    const audit = { action: 'CREATE', resourceId: team.id } as const;
    const existing = teams.find(({ id }) => id === team.id);
    if (existing !== undefined) {
      if (isDeepStrictEqual(existing, team) && (await isOfLostAttempt(dependencies, principal.org_id, team.id))) {
        return { teams, audit };
      }
      return { refusal: teamExists({ message: `There is a team ${team.id}. Choose another id.` }) };
    }
    if (teams.length >= MOST_TEAMS) {
      return { refusal: teamLimitReached({ message: 'An organization has at most 1,000 teams.' }) };
    }
    return { teams: [...teams, team], audit };
  });
  if ('refusal' in outcome) return outcome.refusal;
  const location = `/api/v1/organizations/${principal.org_id}/teams/${encodeURIComponent(team.id)}`;
  return { status: 201, headers: { Location: location }, body: teamOf(team) };
};

export const updateTeam: UpdateTeamHandler<PlatformDependencies> = async (request, dependencies) => {
  const { body, params } = request;
  const outcome = await changeTeams<TeamNotFound | ValidationFailed>(dependencies, request, (teams) => {
    const index = teams.findIndex(({ id }) => id === params.team_id);
    const found = teams[index];
    if (found === undefined) return { refusal: noSuchTeam() };
    const checked = checkedTeam({ ...teamOf(found), ...body });
    if ('refusal' in checked) return checked;
    return { teams: teams.with(index, checked.team), audit: { action: 'UPDATE', resourceId: found.id } };
  });
  if ('refusal' in outcome) return outcome.refusal;
  const team = outcome.teams.find(({ id }) => id === params.team_id);
  return team === undefined ? noSuchTeam() : { status: 200, body: teamOf(team) };
};

export const deleteTeam: DeleteTeamHandler<PlatformDependencies> = async (request, dependencies) => {
  const { team_id: teamId } = request.params;
  const outcome = await changeTeams<TeamNotFound>(dependencies, request, (teams) =>
    teams.some(({ id }) => id === teamId)
      ? { teams: teams.filter(({ id }) => id !== teamId), audit: { action: 'DELETE', resourceId: teamId } }
      : { refusal: noSuchTeam() },
  );
  return 'refusal' in outcome ? outcome.refusal : { status: 204 };
};

/** Validates a team by the rules of teams files, which are stricter than the schema. */
function checkedTeam(
  body: Schemas['CreateTeamRequest'],
): { readonly team: Team } | { readonly refusal: ValidationFailed } {
  const check = new FileCheck();
  const team = checkTeam(check, body, 'body');
  if (check.problems.length === 0) return { team };
  return { refusal: refuseBody('team', check.problems) };
}
