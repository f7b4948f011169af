/** Gitea, and Forgejo, which has the same API. There is no central host: each server has an address. */
import { hasNextLink, ownerTest, type RepositoryList } from '../code-host.js';
import type { ProviderDescription } from '../description.js';
import { OWNER, ownedPart, parseBaseUrl, parseOwnedOrMany, REPO } from '../selections.js';

// https://docs.gitea.com/api/#tag/user/operation/userCurrentListRepos: it has no search.
const ofUser: RepositoryList = {
  path: (page) => `/user/repos?limit=50&page=${page}`,
  hasNext: hasNextLink,
  name: 'full_name',
  isPrivate: (repository): unknown => Reflect.get(repository, 'private'),
};

export const gitea: ProviderDescription<'gitea', 'owner' | 'repo' | 'giteaUrl'> = {
  name: 'gitea',
  alias: 'forgejo',
  title: 'Gitea',
  // The API of Gitea has neither blame nor deployments.
  targets: ['git', 'prs', 'cicd', 'issues'],
  options: {
    owner: OWNER,
    repo: REPO,
    giteaUrl: ['--gitea-url <url>', 'address of the server'],
  },
  variable: null,
  tokens: 'gitea requires one for private repositories, with read access to repositories, issues and organizations.',
  example: 'example/api\nexample/web-*',
  host: {
    tokenVariable: 'GITEA_TOKEN',
    urlOption: 'giteaUrl',
    publicUrl: null,
    apiPath: '/api/v1',
    tests: { token: ownerTest('login'), app: ownerTest('login') },
    lists: { token: ofUser, app: ofUser },
  },
  marks: {
    mentions: ['pull', 'squash'],
    hasAllReviews: true,
    hasOnlySums: true,
    pages: { commit: '/commit/', pull_request: '/pulls/', issue: '/issues/' },
    hostName: 'gitea',
  },

  select: (options, _environment, report) => {
    const address = options.giteaUrl ?? report('gitea needs the address of its server: set --gitea-url');
    const baseUrl = address === undefined ? undefined : parseBaseUrl('--gitea-url', address, report);
    const read = parseOwnedOrMany('gitea', options, report);
    if (baseUrl === undefined || read === undefined) return undefined;
    return {
      ...read.named,
      open: async (request, dependencies) =>
        (await import('./open-gitea.js')).openGitea(baseUrl, read.chosen, request, dependencies),
    };
  },
  parts: (selected) => [ownedPart(selected)],
};
