/** The repositories of a sync: one, or those on a host that match a pattern. */
import type { ProviderName } from './targets.js';
import type { SyncOptions } from './options.js';

export type Selection =
  | { readonly kind: 'local'; readonly path: string }
  | { readonly kind: 'host_a'; readonly baseUrl: string; readonly owner: string; readonly repo: string }
  | { readonly kind: 'host_b'; readonly baseUrl: string; readonly projectId: number }
  | {
      readonly kind: 'batch';
      readonly provider: 'host_a' | 'host_b';
      readonly baseUrl: string;
      /** The organization, user or group that is listed. */
      readonly group: string;
      readonly pattern: string;
    }
  | { readonly kind: 'synthetic'; readonly repoName: string; readonly seed: number };

/** The public instances: the API of host_a, the site of host_b. */
const PUBLIC_HOST_A = 'https://api.github.com';
const PUBLIC_HOST_B = 'https://gitlab.com';

const DEFAULT_REPO_NAME = 'acme/demo-app';

/** Reports a problem; `return report(...)` then replaces the missing value. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it takes the type of what is missing
export type Report = <Value>(problem: string) => Value | undefined;

/** Parses the options that select repositories; every problem is passed to `report`. */
export function parseSelection(
  provider: ProviderName,
  options: SyncOptions,
  read: { readonly token: string | undefined; readonly repoPath: string },
  report: Report,
): Selection | undefined {
  switch (provider) {
    case 'local':
      if (options.search !== undefined)
        return report('--search is for host_a and host_b: a local sync reads one --repo-path');
      return { kind: 'local', path: read.repoPath };
    case 'host_a':
      return parseHostA(options, read.token, report);
    case 'host_b':
      return parseHostB(options, report);
    case 'synthetic':
      return parseSynthetic(options, report);
  }
}

function parseHostA(options: SyncOptions, token: string | undefined, report: Report): Selection | undefined {
  if (token === undefined)
    report('host_a needs a token: set --auth or HOST_A_TOKEN (any valid token can read public repositories)');
  const baseUrl = parseBaseUrl('--host-a-url', options.hostAUrl ?? PUBLIC_HOST_A, report);
  if (options.search !== undefined) return parseBatch('host_a', options, baseUrl, report);
  const { owner, repo } = options;
  if (owner === undefined || repo === undefined) {
    return report('host_a needs --owner and --repo for one repository, or --search (with --group) for many');
  }
  // They become parts of URLs, so names that a host would never allow are rejected here.
  if (!/^[\w.-]+$/.test(owner)) return report(`--owner is not an owner's name: ${JSON.stringify(owner)}`);
  if (!/^[\w.-]+$/.test(repo)) return report(`--repo is not a repository's name: ${JSON.stringify(repo)}`);
  return baseUrl === undefined ? undefined : { kind: 'host_a', baseUrl, owner, repo };
}

function parseHostB(options: SyncOptions, report: Report): Selection | undefined {
  const baseUrl = parseBaseUrl('--host-b-url', options.hostBUrl ?? PUBLIC_HOST_B, report);
  if (options.search !== undefined) return parseBatch('host_b', options, baseUrl, report);
  const { projectId } = options;
  if (projectId === undefined)
    return report('host_b needs --project-id for one project, or --search (with --group) for many');
  if (!/^[1-9]\d{0,14}$/.test(projectId)) {
    return report(`--project-id must be the project's number, not its path; it is ${JSON.stringify(projectId)}`);
  }
  return baseUrl === undefined ? undefined : { kind: 'host_b', baseUrl, projectId: Number(projectId) };
}

function parseBatch(
  provider: 'host_a' | 'host_b',
  options: SyncOptions,
  baseUrl: string | undefined,
  report: Report,
): Selection | undefined {
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
  return baseUrl === undefined ? undefined : { kind: 'batch', provider, baseUrl, group, pattern };
}

/** The text before the pattern's last slash, if it is not itself a pattern. */
function literalGroup(pattern: string): string | undefined {
  const slash = pattern.lastIndexOf('/');
  const group = slash < 0 ? '' : pattern.slice(0, slash);
  return group === '' || /[*?[\]]/.test(group) ? undefined : group;
}

function parseSynthetic(options: SyncOptions, report: Report): Selection | undefined {
  const { owner, repo, search } = options;
  const repoName =
    options.repoName ?? (owner !== undefined && repo !== undefined ? `${owner}/${repo}` : search) ?? DEFAULT_REPO_NAME;
  if (/[*?[\]]/.test(repoName)) report('synthetic makes up one repository: its name cannot be a pattern');
  const seed = options.seed ?? '1';
  if (!/^\d{1,9}$/.test(seed)) return report(`--seed must be a whole number; it is ${JSON.stringify(seed)}`);
  return { kind: 'synthetic', repoName, seed: Number(seed) };
}

function parseBaseUrl(name: string, text: string, report: Report): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    return report(`${name} must be an http or https address without credentials; it is ${JSON.stringify(text)}`);
  }
  return url.href.replace(/\/+$/, '');
}
