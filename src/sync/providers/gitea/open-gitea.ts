/** The gitea provider: one repository, or all repositories of an organization or user that match a pattern. */
import { toAsyncIterable } from '@plumbline/contract/system/async-iterable';
import { matchingRepositories } from '../../batch.js';
import type { SyncDependencies } from '../../dependencies.js';
import { SyncError } from '../../failures.js';
import { identityOfRemote } from '../../identity.js';
import type { SyncRequest } from '../../sync-request.js';
import { newestFirst } from '../newest-first.js';
import type { OpenRepository, Page, Provider, RepositorySource, Start } from '../provider.js';
import { readId, readInstantOrNull, readObject, readText, type JsonObject } from '../read.js';
import type { ManyRepositories, OwnedRepository } from '../selections.js';
import { openGiteaClient } from './client.js';
import { commitPages, reachOf } from './commits.js';
import { issuePages } from './issues.js';
import { pullRequestListing } from './pull-requests.js';
import type { GiteaRepository } from './repository.js';
import { runListing } from './runs.js';

type Client = GiteaRepository['client'];

/** Opens the provider; the first request is sent for the first repository. */
export function openGitea(
  baseUrl: string,
  chosen: OwnedRepository | ManyRepositories,
  request: SyncRequest,
  dependencies: SyncDependencies,
): Provider {
  const client = openGiteaClient(baseUrl, request.token, dependencies);
  const source = (fullName: string): RepositorySource => ({
    name: fullName,
    open: () => openRepository(client, fullName, request, dependencies),
  });
  return {
    async *repositories() {
      if ('owner' in chosen) yield source(`${chosen.owner}/${chosen.repo}`);
      else
        for await (const { fullName } of matchingRepositories('gitea', chosen, listed(client, chosen.group)))
          yield source(fullName);
    },
  };
}

async function* listed(client: Client, group: string): AsyncGenerator<{ readonly fullName: string }> {
  const path = await listPath(client, encodeURIComponent(group));
  for (let page = 1, more = true; more; page += 1) {
    const { items, hasNext } = await client.list(path, page);
    for (const item of items) yield { fullName: readText(item['full_name'], 'full_name') };
    more = hasNext;
  }
}

/** A name that is not an organization is a user. */
async function listPath(client: Client, group: string): Promise<string> {
  try {
    await client.get(`/orgs/${group}`);
    return `/orgs/${group}/repos`;
  } catch (error) {
    if (error instanceof SyncError && error.code === 'not_found') return `/users/${group}/repos`;
    throw error;
  }
}

async function openRepository(
  client: Client,
  name: string,
  request: SyncRequest,
  dependencies: SyncDependencies,
): Promise<OpenRepository> {
  const described = readObject(await client.get(`/repos/${name}`), 'repository');
  const cloneUrl = readText(described['clone_url'], 'clone_url');
  const identity = identityOfRemote(cloneUrl);
  if (identity === undefined)
    throw new SyncError('unexpected_reply', `gitea gave a clone_url that names no host: ${cloneUrl}`);
  // The repository may have been renamed or moved; later requests use its current name.
  const fullName = readText(described['full_name'], 'full_name');
  const repository: GiteaRepository = {
    client,
    fullName,
    path: `/repos/${fullName}`,
    defaultBranch: readText(described['default_branch'], 'default_branch'),
    isEmpty: described['empty'] === true,
  };
  const { defaultBranch } = repository;
  const url = readText(described['html_url'], 'html_url');
  return {
    identity,
    record: {
      repo: fullName,
      ref: defaultBranch,
      url,
      default_branch: defaultBranch,
      created_at: readInstantOrNull(described['created_at'], 'created_at'),
      settings: { source: 'gitea', repo_id: readId(described['id'], 'id'), url, default_branch: defaultBranch },
      tags: ['gitea'],
    },
    // Gitea's CODEOWNERS has regular expressions, which other hosts do not understand: it is not read.
    reachable: () => reachOf(repository),
    pages: (start) => {
      const off = switchedOff(request.target, described);
      return off === null ? pages(repository, request, dependencies, start) : noPages(off);
    },
  };
}

/** What a server or a repository has switched off, of what a target reads; null: nothing. The server then answers 404. */
function switchedOff(target: SyncRequest['target'], described: JsonObject): string | null {
  const isOff = (flag: string): boolean => described[flag] === false;
  const hasTracker = (described['external_tracker'] ?? null) !== null;
  if (target === 'prs' && isOff('has_pull_requests')) return 'pull requests';
  if (target === 'cicd' && isOff('has_actions')) return 'Actions';
  return target === 'issues' && (isOff('has_issues') || hasTracker) ? 'issues' : null;
}

function noPages(off: string): AsyncIterable<Page> {
  return toAsyncIterable([{ records: {}, position: null, done: true, note: `its ${off} are switched off` }]);
}

function pages(
  repository: GiteaRepository,
  { target, window, ...request }: SyncRequest,
  { now }: SyncDependencies,
  start: Start,
): AsyncIterable<Page> {
  switch (target) {
    case 'git':
      return commitPages(repository, { target, window, ...request }, start);
    case 'prs':
      return newestFirst(pullRequestListing(repository, window), start);
    case 'issues':
      return issuePages(repository, window, now, start);
    case 'cicd':
      return newestFirst(runListing(repository, window, now), start);
    case 'blame':
    case 'deployments':
    case 'incidents':
      throw new Error(`gitea has no ${target}`); // `parseSyncRequest` refuses it
  }
}
