/** GitLab, which contracts and commands call host_b. */
import { TARGETS } from '../../targets.js';
import { ownerTest, type RepositoryList } from '../code-host.js';
import type { ProviderDescription, Report } from '../description.js';
import { isPattern, parseBaseUrl, parseMany, patternPart, refusedPart, singlePart } from '../selections.js';

const PUBLIC = 'https://gitlab.com';

// https://docs.gitlab.com/api/projects/#list-all-projects
const projects: RepositoryList = {
  path: (page, text) => {
    const search = text === '' ? '' : `&search_namespaces=true&search=${encodeURIComponent(text)}`;
    return `/projects?membership=true&order_by=id&sort=asc&per_page=100&page=${page}${search}`;
  },
  hasNext: (headers) => (headers.get('x-next-page') ?? '') !== '',
  name: 'path_with_namespace',
  isPrivate: (project) => {
    const visibility: unknown = Reflect.get(project, 'visibility');
    return typeof visibility === 'string' ? visibility !== 'public' : null;
  },
};

export const hostB: ProviderDescription<'host_b', 'projectId' | 'hostBUrl'> = {
  name: 'host_b',
  alias: 'gitlab',
  title: 'GitLab',
  targets: TARGETS,
  options: {
    projectId: ['--project-id <number>', 'number of the project, not its path'],
    hostBUrl: ['--host-b-url <url>', `address of a self-hosted host_b (default: ${PUBLIC})`],
  },
  variable: null,
  tokens: 'host_b requires one for private projects, with the scopes read_api and read_repository.',
  example: 'example/api\nexample/web-*',
  host: {
    tokenVariable: 'HOST_B_TOKEN',
    urlOption: 'hostBUrl',
    publicUrl: PUBLIC,
    apiPath: '/api/v4',
    // https://docs.gitlab.com/api/users/#retrieve-the-current-user
    tests: { token: ownerTest('username'), app: ownerTest('username') },
    lists: { token: projects, app: projects },
  },
  readSince: { prs: 'reviews' },
  marks: {
    mentions: ['see'],
    closesLists: true,
    hasOnlySums: true,
    pages: { commit: '/-/commit/', pull_request: '/-/merge_requests/', issue: '/-/issues/' },
    hostName: 'gitlab',
  },

  select: (options, _environment, report) => {
    const baseUrl = parseBaseUrl('--host-b-url', options.hostBUrl ?? PUBLIC, report);
    const chosen = options.search === undefined ? parseProject(options.projectId, report) : parseMany(options, report);
    if (baseUrl === undefined || chosen === undefined) return undefined;
    return {
      ...(typeof chosen === 'number' ? { name: `project ${chosen}` } : { name: chosen.pattern, group: chosen.group }),
      open: async (request, dependencies) =>
        (await import('./open-host-b.js')).openHostB(baseUrl, chosen, request, dependencies),
    };
  },
  // A project is given by its number, or by its path, for which its group is listed.
  parts: (selected) => {
    if (/^[1-9]\d*$/.test(selected)) return [singlePart(selected, { projectId: selected })];
    const group = selected.slice(0, Math.max(0, selected.lastIndexOf('/')));
    if (group === '' || isPattern(group)) {
      throw refusedPart(selected, 'is neither the number of a project, nor group/name, nor a pattern such as group/*');
    }
    return [patternPart(selected, group)];
  },
};

function parseProject(projectId: string | undefined, report: Report): number | undefined {
  if (projectId === undefined)
    return report('host_b needs --project-id for one project, or --search (with --group) for many');
  if (!/^[1-9]\d{0,14}$/.test(projectId)) {
    return report(`--project-id must be the project's number, not its path; it is ${JSON.stringify(projectId)}`);
  }
  return Number(projectId);
}
