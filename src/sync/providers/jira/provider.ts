/**
 * Jira, Cloud and Data Center. A project is stored like a repository without commits: its issues are below it, and
 * their numbers are those of their keys.
 */
import type { RepositoryList, TokenTest } from '../code-host.js';
import type { ProviderDescription, Report } from '../description.js';
import { isPattern, parseBaseUrl, parseMany, patternPart, refusedPart, singlePart } from '../selections.js';
import { API_PATH, authorizationOf } from './access.js';

// https://developer.atlassian.com/server/jira/platform/rest/: the list is one page, in Cloud as well.
const projects: RepositoryList = {
  path: () => '/project',
  hasNext: () => false,
  name: 'key',
  isPrivate: (project): unknown => Reflect.get(project, 'isPrivate'),
};

const user: TokenTest = { path: '/myself', property: 'displayName' };

/** Administrators of Data Center can allow longer keys, and underscores. */
const KEY = /^[A-Z][A-Z0-9_]{0,254}$/i;

export const jira: ProviderDescription<'jira', 'project' | 'jiraUrl'> = {
  name: 'jira',
  title: 'Jira',
  targets: ['issues'],
  options: {
    project: ['--project <key>', 'key of the project'],
    jiraUrl: ['--jira-url <url>', 'address of the site, such as https://example.atlassian.net'],
  },
  variable: null,
  tokens: 'jira requires one for projects that are not public: email:token for Cloud, a personal one for Data Center.',
  example: 'SHOP\nOPS*',
  host: {
    tokenVariable: 'JIRA_TOKEN',
    urlOption: 'jiraUrl',
    publicUrl: null,
    apiPath: API_PATH,
    authorization: authorizationOf,
    tokenForm: 'For Jira Cloud, write your email address before it: email:token.',
    tests: { token: user, app: user },
    lists: { token: projects, app: projects },
  },
  marks: {
    mentions: [],
    // The address of a project, and the rest of the key of an issue.
    pages: { issue: '-' },
    hasKeys: true,
  },

  select: (options, _environment, report) => {
    const address = options.jiraUrl ?? report('jira needs the address of its site: set --jira-url');
    const baseUrl = address === undefined ? undefined : parseBaseUrl('--jira-url', address, report);
    const many =
      options.search === undefined ? undefined : parseMany({ search: options.search, group: baseUrl ?? '' }, report);
    const key = options.search === undefined ? parseKey(options.project, report) : undefined;
    const chosen = many?.pattern ?? key;
    if (baseUrl === undefined || chosen === undefined) return undefined;
    return {
      name: chosen,
      ...(many === undefined ? {} : { group: baseUrl }),
      open: async (request, dependencies) =>
        (await import('./open-jira.js')).openJira(
          { baseUrl, chosen, isPattern: many !== undefined },
          request,
          dependencies,
        ),
    };
  },
  parts: (selected) => {
    if (isPattern(selected)) return [patternPart(selected, 'jira')];
    if (!KEY.test(selected)) throw refusedPart(selected, 'is neither the key of a project nor a pattern such as SHOP*');
    return [singlePart(selected, { project: selected })];
  },
};

function parseKey(project: string | undefined, report: Report): string | undefined {
  if (project === undefined) return report('jira needs --project for one project, or --search for many');
  // It becomes a part of addresses and queries.
  if (!KEY.test(project)) return report(`--project is not the key of a project: ${JSON.stringify(project)}`);
  return project.toUpperCase();
}
