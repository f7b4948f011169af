/**
 * The teams file of `plumbline teams import`:
 *
 *     teams:
 *       - id: payments                      # the value of the dimension TEAM
 *         name: Payments                    # optional
 *         members: [ada@example.com, grace] # e-mails or logins
 *         repositories: ['acme/pay-*']      # owner/name; * stands for anything
 *
 * A unit goes to the team of its author; where several teams have the author, to the one that also has the repository,
 * else to the first in the file. An author whom no team has leaves it to the team that has the repository.
 */
import { FileCheck, parseYaml, readTextFile } from '../file-check.js';

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

/**
 * Reads a teams file.
 *
 * @throws FileError where it cannot be read or is not a teams file, with every problem in it
 */
export async function loadTeams(file: string): Promise<readonly Team[]> {
  return parseTeams(await readTextFile(file, 'teams file'), file);
}

/** Parses the text of a teams file; `name` is what messages call it. Throws as `loadTeams` does. */
export function parseTeams(text: string, name: string): readonly Team[] {
  const check = new FileCheck();
  const root = check.mapping(parseYaml(text, name), 'the file', ['teams']);
  const ids = new Set<string>();
  const teams = check.list(root['teams'], 'teams').map((item, index): Team => {
    const place = `teams[${index}]`;
    const team = check.mapping(item, place, ['id', 'name', 'members', 'repositories']);
    const texts = (field: string): string[] =>
      team[field] === undefined ? [] : check.texts(team[field], `${place}.${field}`);
    const id = check.text(team['id'], `${place}.id`);
    if (id !== '' && !TEAM_ID.test(id))
      check.problem(`${place}.id`, `${JSON.stringify(id)} may have letters, digits and . _ / - only, at most 100`);
    if (id === 'unassigned') check.problem(`${place}.id`, '"unassigned" stands for units that no team has');
    if (ids.has(id)) check.problem(`${place}.id`, `${JSON.stringify(id)} is used twice`);
    ids.add(id);
    const members = texts('members').map(memberName);
    const repositories = texts('repositories');
    if (members.length + repositories.length === 0) check.problem(place, 'has neither members nor repositories');
    return {
      id,
      name: team['name'] === undefined ? id : check.text(team['name'], `${place}.name`),
      members,
      repositories,
    };
  });
  check.finish(`${name} is not a teams file`);
  return teams;
}

/** The teams as they are stored. */
export function teamsAsText(teams: readonly Team[]): string {
  return JSON.stringify(teams);
}

/** Teams that `teamsAsText` wrote; anything else is no teams. */
export function teamsFromText(text: string | undefined): readonly Team[] {
  if (text === undefined) return [];
  const parsed: unknown = JSON.parse(text);
  // Nothing else writes them, and JSON.parse gave back what JSON.stringify took.
  return Array.isArray(parsed) ? (parsed as Team[]) : [];
}

function memberName(text: string): string {
  return text.toLowerCase().replace(/^@/, '');
}
