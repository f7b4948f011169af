/** Assigns a team to a unit: by the teams file, otherwise by the repository's CODEOWNERS, otherwise none. */
import { createHash } from 'node:crypto';
import { UNASSIGNED } from '../../../analytics/vocabulary.js';
import type { Steps } from '@plumbline/contract/system/slices';
import { nameMatcher } from '../classify/patterns.js';
import { ownersOf, parseCodeowners } from './codeowners.js';
import type { Team } from './teams-file.js';

export interface TeamAssigner {
  /** Changes whenever the same unit could get another team. */
  readonly fingerprint: string;
  /** The team that owns a path according to CODEOWNERS, or ''. */
  ownerOfPath(path: string): Steps<string>;
  /**
   * @param names the author's e-mail, login and name
   * @param owners changed files, counted by {@link ownerOfPath}
   */
  teamOf(names: readonly (string | null)[], owners: ReadonlyMap<string, number>): string;
  /** The team that lists a person as a member, or `unassigned`: repositories and paths say nothing about a person. */
  teamOfPerson(names: readonly string[]): string;
}

/** The size of the cache of owners by path. */
const REMEMBERED = 50_000;

/**
 * @param repo `owner/name` of the repository
 * @param codeowners the text of its CODEOWNERS, if it has one
 */
export function* createTeamAssigner(
  teams: readonly Team[],
  repo: string,
  codeowners: string | undefined,
): Steps<TeamAssigner> {
  const rules = codeowners === undefined ? [] : yield* parseCodeowners(codeowners);
  const hasRepository = new Set(
    teams.filter((team) => team.repositories.some((pattern) => nameMatcher(pattern)(repo))).map(({ id }) => id),
  );
  const ofRepository = teams.find(({ id }) => hasRepository.has(id))?.id;
  const ofMember = memberIndex(teams, hasRepository);

  /** `@org/team` is the team with that name; a person is mapped to the team that has the person as a member. */
  const teamOfOwner = (owner: string): string | undefined => {
    const name = owner.replace(/^@/, '');
    if (!owner.startsWith('@') || !name.includes('/')) return ofMember.get(name.toLowerCase());
    const short = name.slice(name.lastIndexOf('/') + 1);
    return teams.find(({ id }) => id === name || id === short)?.id ?? short;
  };
  const teamOfNames = (names: readonly (string | null)[]): string | undefined =>
    names
      .map((name) => (name === null ? undefined : ofMember.get(name.toLowerCase())))
      .find((team) => team !== undefined);
  const known = new Map<string, string>();
  const ownerOfPath = function* (path: string): Steps<string> {
    const found = known.get(path);
    if (found !== undefined || rules.length === 0) return found ?? '';
    const owners = yield* ownersOf(rules, path);
    const owner = owners.map(teamOfOwner).find((team) => team !== undefined) ?? '';
    if (known.size >= REMEMBERED) known.clear();
    known.set(path, owner);
    return owner;
  };
  // A unit without files (an incident, a deployment) belongs to the owner of all paths.
  const ofEverything = yield* ownerOfPath('');

  return {
    fingerprint: createHash('sha256')
      .update(JSON.stringify([teams, repo, codeowners ?? null]))
      .digest('hex'),
    ownerOfPath,
    teamOf: (names, owners) => {
      const team = teamOfNames(names) ?? ofRepository;
      if (team !== undefined) return team;
      return mostOf(owners) ?? (ofEverything === '' ? UNASSIGNED : ofEverything);
    },
    teamOfPerson: (names) => teamOfNames(names) ?? UNASSIGNED,
  };
}

/** The team of each member. Of several, one that also has the repository, then the first in the file. */
function memberIndex(teams: readonly Team[], hasRepository: ReadonlySet<string>): ReadonlyMap<string, string> {
  const index = new Map<string, string>();
  const ordered = [...teams].sort((a, b) => Number(hasRepository.has(b.id)) - Number(hasRepository.has(a.id)));
  for (const { id, members } of ordered) for (const member of members) if (!index.has(member)) index.set(member, id);
  return index;
}

/** The team with the most files; ties are resolved by name. */
function mostOf(owners: ReadonlyMap<string, number>): string | undefined {
  let most: string | undefined;
  for (const [team, count] of owners) {
    if (team === '') continue;
    const best = most === undefined ? -1 : (owners.get(most) ?? 0);
    if (count > best || (count === best && most !== undefined && team < most)) most = team;
  }
  return most;
}
