import type { GetTeamHandler, ListTeamsHandler } from '../../../../generated/platform/operations.js';
import { teamNotFound, type TeamNotFound } from '../../../../generated/problems.js';
import { validationProblem } from '@plumbline/contract/violations';
import type { Team } from '../../../sync/work-units/teams/teams-file.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { readTeams, teamOf } from './stored-teams.js';

export const listTeams: ListTeamsHandler<PlatformDependencies> = async ({ query, principal }, dependencies) => {
  const { limit, cursor } = query;
  const after = cursor === undefined ? null : readCursor(cursor);
  if (after === undefined) {
    const message = 'must be the next_cursor of an earlier page, unchanged';
    return validationProblem([{ path: '/query/cursor', rule: 'format', message }]);
  }
  const teams = await readTeams(dependencies, principal.org_id);
  const start = after === null ? 0 : startAfter(teams, after);
  const page = teams.slice(start, start + limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && start + limit < teams.length;
  const nextCursor = hasMore ? cursorOf({ count: start + limit, id: last.id }) : null;
  return { status: 200, body: { items: page.map(teamOf), next_cursor: nextCursor } };
};

export const getTeam: GetTeamHandler<PlatformDependencies> = async ({ params, principal }, dependencies) => {
  const teams = await readTeams(dependencies, principal.org_id);
  const team = teams.find(({ id }) => id === params.team_id);
  return team === undefined ? noSuchTeam() : { status: 200, body: teamOf(team) };
};

export function noSuchTeam(): TeamNotFound {
  return teamNotFound({ message: 'The organization has no such team.' });
}

/** The end of a page: the number of teams up to it, and the id of the last one. */
interface PageEnd {
  readonly count: number;
  readonly id: string;
}

/** The next page begins after the last team of the previous one; if that team was removed, at its position. */
function startAfter(teams: readonly Team[], { count, id }: PageEnd): number {
  const index = teams.findIndex((team) => team.id === id);
  return index < 0 ? count - 1 : index + 1;
}

function cursorOf({ count, id }: PageEnd): string {
  return Buffer.from(`${count} ${id}`).toString('base64url');
}

/** @returns undefined for a cursor that the server did not issue */
function readCursor(cursor: string): PageEnd | undefined {
  const match = /^([1-9]\d{0,5}) ([A-Za-z0-9._/-]{1,100})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (match === null) return undefined;
  const [, count = '', id = ''] = match;
  return { count: Number(count), id };
}
