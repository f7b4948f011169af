/** What the selections of several providers have in common. */
import { SyncError } from '../failures.js';
import type { Part, Report } from './description.js';

/** The repositories of an organization, user or group whose names match a pattern. */
export interface ManyRepositories {
  readonly group: string;
  readonly pattern: string;
}

interface ManyOptions {
  readonly search?: string;
  readonly group?: string;
  readonly owner?: string;
}

/** Reads `--search`, and the group whose repositories are listed. */
export function parseMany(options: ManyOptions, report: Report): ManyRepositories | undefined {
  const pattern = options.search ?? '';
  if (pattern.trim() === '') return report('--search is empty: set a pattern such as <group>/api-*');
  const [included = '', ...excepted] = pattern.trim().split(/\s+/);
  const unclear = [...(included.startsWith('!') ? [included] : []), ...excepted.filter((each) => !/^!./.test(each))];
  if (unclear.length > 0) {
    return report(
      `--search is one pattern, and after it those to leave out with ! before them; not ${unclear.join(' ')}`,
    );
  }
  const group = options.group ?? options.owner ?? literalGroup(included);
  if (group === undefined) {
    return report(
      'batch mode needs the group whose repositories to list: set --group, or begin --search with it (<group>/api-*)',
    );
  }
  return { group, pattern };
}

/** The text before the pattern's last slash, if it is not itself a pattern. */
function literalGroup(pattern: string): string | undefined {
  const slash = pattern.lastIndexOf('/');
  const group = slash < 0 ? '' : pattern.slice(0, slash);
  return group === '' || isPattern(group) ? undefined : group;
}

/** Reads the address of a host, without slashes at its end. */
export function parseBaseUrl(name: string, text: string, report: Report): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    return report(`${name} must be an http or https address without credentials; it is ${JSON.stringify(text)}`);
  }
  return url.href.replace(/\/+$/, '');
}

/** A repository of a host that names it by its owner. */
export interface OwnedRepository {
  readonly owner: string;
  readonly repo: string;
}

export const OWNER = ['--owner <owner>', 'owner of the repository'] as const;
export const REPO = ['--repo <name>', 'name of the repository'] as const;

/**
 * Reads `--owner` and `--repo`, or `--search` for many.
 *
 * @param provider its name
 * @returns what was chosen, and the parts of the selection that follow from it
 */
export function parseOwnedOrMany(
  provider: string,
  options: ManyOptions & Partial<OwnedRepository>,
  report: Report,
):
  | {
      readonly chosen: OwnedRepository | ManyRepositories;
      readonly named: { readonly name: string; readonly group?: string };
    }
  | undefined {
  if (options.search !== undefined) {
    const chosen = parseMany(options, report);
    return chosen && { chosen, named: { name: chosen.pattern, group: chosen.group } };
  }
  const chosen = parseOwned(provider, options, report);
  return chosen && { chosen, named: { name: `${chosen.owner}/${chosen.repo}` } };
}

function parseOwned(
  name: string,
  { owner, repo }: Partial<OwnedRepository>,
  report: Report,
): OwnedRepository | undefined {
  if (owner === undefined || repo === undefined) {
    return report(`${name} needs --owner and --repo for one repository, or --search (with --group) for many`);
  }
  // They become parts of URLs, so names that a host would never allow are rejected here.
  if (!/^[\w.-]+$/.test(owner)) return report(`--owner is not an owner's name: ${JSON.stringify(owner)}`);
  if (!/^[\w.-]+$/.test(repo)) return report(`--repo is not a repository's name: ${JSON.stringify(repo)}`);
  return { owner, repo };
}

/** The part for `owner/name`, or for a pattern of the names of an owner. */
export function ownedPart(selected: string): Part {
  const [owner, repo, ...rest] = selected.split('/');
  if (owner === undefined || owner === '' || isPattern(owner) || repo === undefined || repo === '' || rest.length > 0) {
    throw refusedPart(selected, 'is neither owner/name nor a pattern such as owner/*');
  }
  return isPattern(repo) ? patternPart(selected, owner) : singlePart(selected, { owner, repo });
}

export function singlePart(selected: string, options: Part['options']): Part {
  return { selected, isPattern: false, options };
}

export function patternPart(selected: string, group: string): Part {
  return { selected, isPattern: true, options: { search: selected, group } };
}

export function refusedPart(selected: string, why: string): SyncError {
  return new SyncError('not_found', `${selected} ${why}.`);
}

export function isPattern(text: string): boolean {
  return /[*?[\]]/.test(text);
}
