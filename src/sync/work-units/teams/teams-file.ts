/**
 * The teams file of `plumbline teams import`:
 *
 *     teams:
 *       - id: payments                      # the value of the dimension TEAM
 *         name: Payments                    # optional
 *         members: [ada@example.com, grace] # e-mails or logins
 *         repositories: ['acme/pay-*']      # owner/name; * matches anything
 *
 * A unit belongs to the team of its author. If several teams have the author, it belongs to the one that also has the
 * repository, otherwise to the first in the file. If no team has the author, it belongs to the team that has the
 * repository.
 */
import { atOnce, type Steps } from '@plumbline/contract/system/slices';
import { FileCheck, readTextFile, yamlSteps } from '../file-check.js';

export interface Team {
  readonly id: string;
  readonly name: string;
  /** E-mails and logins in lower case. */
  readonly members: readonly string[];
  /** Patterns of `owner/name`. */
  readonly repositories: readonly string[];
}

/** A value of the dimension TEAM must be readable in a chart and in a URL. */
const TEAM_ID = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/;

/** Maximum number of teams of one organization. */
export const MOST_TEAMS = 1000;
/** Maximum number of members, or of repositories, of one team. */
export const MOST_ENTRIES = 1000;
const LONGEST_NAME = 100;
const LONGEST_MEMBER = 254;
const LONGEST_REPOSITORY = 512;

/**
 * Reads a teams file.
 *
 * @throws FileError with every problem, if the file cannot be read or is invalid
 */
export async function loadTeams(file: string): Promise<readonly Team[]> {
  return parseTeams(await readTextFile(file, 'teams file'), file);
}

/** Parses the text of a teams file; `name` is the file's name in messages. Throws like `loadTeams`. */
export function parseTeams(text: string, name: string): readonly Team[] {
  return atOnce(teamsSteps(text, name));
}

/** The same in small steps. */
export function* teamsSteps(text: string, name: string): Steps<readonly Team[]> {
  const { value, lineOf } = yield* yamlSteps(text, name);
  const check = new FileCheck(lineOf);
  const root = check.mapping(value, 'the file', ['teams']);
  const items = check.list(root['teams'], 'teams');
  if (items.length > MOST_TEAMS) check.problem('teams', `may have at most ${MOST_TEAMS} items, not ${items.length}`);
  const ids = new Set<string>();
  const teams: Team[] = [];
  for (const [index, item] of items.slice(0, MOST_TEAMS).entries()) {
    const place = `teams[${index}]`;
    const team = checkTeam(check, item, place);
    if (ids.has(team.id)) check.problem(`${place}.id`, `${JSON.stringify(team.id)} is used twice`);
    ids.add(team.id);
    teams.push(team);
    yield;
  }
  check.finish(`${name} is not a teams file`);
  return teams;
}

/**
 * Reads one team, and reports its problems to `check`.
 *
 * @param value an object with the properties of a team in a file
 * @param place its place in messages
 */
export function checkTeam(check: FileCheck, value: unknown, place: string): Team {
  const team = check.mapping(value, place, ['id', 'name', 'members', 'repositories']);
  const id = check.text(team['id'], `${place}.id`);
  if (id !== '' && !TEAM_ID.test(id))
    check.problem(`${place}.id`, `${JSON.stringify(id)} may have letters, digits and . _ / - only, at most 100`);
  if (id === 'unassigned') check.problem(`${place}.id`, '"unassigned" stands for units that no team has');
  const texts = (field: string, longest: number): string[] => {
    const items = team[field] === undefined ? [] : check.list(team[field], `${place}.${field}`);
    if (items.length > MOST_ENTRIES)
      check.problem(`${place}.${field}`, `may have at most ${MOST_ENTRIES} items, not ${items.length}`);
    return items
      .slice(0, MOST_ENTRIES)
      .map((each, index) => boundedText(check, each, `${place}.${field}[${index}]`, longest));
  };
  const members = texts('members', LONGEST_MEMBER).map(memberName);
  const repositories = texts('repositories', LONGEST_REPOSITORY);
  if (members.length + repositories.length === 0) check.problem(place, 'has neither members nor repositories');
  return {
    id,
    name: team['name'] === undefined ? id : boundedText(check, team['name'], `${place}.name`, LONGEST_NAME),
    members: [...new Set(members)],
    repositories: [...new Set(repositories)],
  };
}

function boundedText(check: FileCheck, value: unknown, place: string, longest: number): string {
  const text = check.text(value, place);
  if (text.length > longest) check.problem(place, `must have at most ${longest} characters`);
  return text;
}

/** The stored form of the teams. */
export function teamsAsText(teams: readonly Team[]): string {
  return JSON.stringify(teams);
}

/** Parses the text of `teamsAsText`; any other text gives no teams. */
export function teamsFromText(text: string | undefined): readonly Team[] {
  if (text === undefined) return [];
  const parsed: unknown = JSON.parse(text);
  // Only `teamsAsText` writes this text.
  return Array.isArray(parsed) ? (parsed as Team[]) : [];
}

function memberName(text: string): string {
  return text.toLowerCase().replace(/^@/, '');
}
