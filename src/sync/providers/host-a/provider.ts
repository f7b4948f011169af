/** GitHub, which contracts and commands call host_a. */
import { TARGETS } from '../../targets.js';
import { hasNextLink, ownerTest, type RepositoryList } from '../code-host.js';
import type { ProviderDescription } from '../description.js';
import { OWNER, ownedPart, parseBaseUrl, parseOwnedOrMany, REPO } from '../selections.js';

const PUBLIC = 'https://api.github.com';

// https://docs.github.com/en/rest/repos/repos#list-repositories-for-the-authenticated-user: it has no search.
const ofUser: RepositoryList = {
  path: (page) => `/user/repos?per_page=100&sort=full_name&page=${page}`,
  hasNext: hasNextLink,
  name: 'full_name',
  isPrivate: (repository): unknown => Reflect.get(repository, 'private'),
};

export const hostA: ProviderDescription<'host_a', 'owner' | 'repo' | 'hostAUrl'> = {
  name: 'host_a',
  alias: 'github',
  title: 'GitHub',
  targets: TARGETS,
  options: {
    owner: OWNER,
    repo: REPO,
    hostAUrl: ['--host-a-url <url>', `API of a self-hosted host_a (default: ${PUBLIC})`],
  },
  variable: null,
  tokens:
    'host_a always requires one. Any valid token can read public repositories; private repositories need the scope ' +
    'repo, repositories of an organization also read:org.',
  example: 'example/api\nexample/web-*',
  host: {
    tokenVariable: 'HOST_A_TOKEN',
    urlOption: 'hostAUrl',
    publicUrl: PUBLIC,
    apiPath: '',
    tests: {
      // https://docs.github.com/en/rest/users/users#get-the-authenticated-user
      token: ownerTest('login'),
      // A token of an installation has no owner.
      app: { path: '/installation/repositories?per_page=1', property: 'repositories' },
    },
    lists: {
      token: ofUser,
      // https://docs.github.com/en/rest/apps/installations#list-repositories-accessible-to-the-app-installation
      app: {
        ...ofUser,
        path: (page) => `/installation/repositories?per_page=100&page=${page}`,
        property: 'repositories',
      },
    },
  },
  readSince: { deployments: 'statuses' },
  marks: {
    mentions: ['pull', 'squash'],
    hasAllReviews: true,
    pages: { commit: '/commit/', pull_request: '/pull/', issue: '/issues/' },
    hostName: 'github',
  },

  select: (options, { token }, report) => {
    if (token === undefined)
      report('host_a needs a token: set --auth or HOST_A_TOKEN (any valid token can read public repositories)');
    const baseUrl = parseBaseUrl('--host-a-url', options.hostAUrl ?? PUBLIC, report);
    const read = parseOwnedOrMany('host_a', options, report);
    if (baseUrl === undefined || read === undefined) return undefined;
    return {
      ...read.named,
      open: async (request, dependencies) =>
        (await import('./open-host-a.js')).openHostA(baseUrl, read.chosen, request, dependencies),
    };
  },
  parts: (selected) => [ownedPart(selected)],
};
