/** The host_a provider: one repository, or all repositories of an organization or user that match a pattern. */
import { matchingRepositories } from '../../batch.js';
import { SyncError } from '../../failures.js';
import { openGate } from '../../http/gate.js';
import { identityOfRemote } from '../../identity.js';
import type { SyncRequest } from '../../sync-request.js';
import type { SyncDependencies } from '../../dependencies.js';
import { codeownersOfHost } from '../codeowners-of-host.js';
import type { OpenRepository, Page, Provider, RepositorySource, Start } from '../provider.js';
import { readId, readInstantOrNull, readList, readObject, readText, readTextOrNull, type JsonObject } from '../read.js';
import { blamePages } from './blame.js';
import { openHostAClient, type HostAClient } from './client.js';
import { readCodeowners } from './codeowners.js';
import { commitPages, reachOf } from './commits.js';
import { deploymentListing } from './deployments.js';
import { incidentListing } from './incidents.js';
import { issueListing } from './issues.js';
import { newestFirst } from '../newest-first.js';
import { pullRequestListing } from './pull-requests.js';
import { runListing } from './runs.js';
import type { HostARepository } from './repository.js';
import type { ManyRepositories, OwnedRepository } from '../selections.js';

/** Opens the provider; the first request is sent for the first repository. */
export async function openHostA(
  baseUrl: string,
  chosen: OwnedRepository | ManyRepositories,
  request: SyncRequest,
  dependencies: SyncDependencies,
): Promise<Provider> {
  const gate = openGate({ host: 'host_a', ...dependencies });
  const client = await openHostAClient(baseUrl, request.token, gate, dependencies);
  const source = (owner: string, repo: string): RepositorySource => ({
    name: `${owner}/${repo}`,
    open: () => openRepository(client, owner, repo, request, dependencies),
  });
  return {
    async *repositories() {
      if ('owner' in chosen) yield source(chosen.owner, chosen.repo);
      else {
        const all = listed(client, chosen.group, request.batch.size);
        for await (const { fullName } of matchingRepositories('host_a', chosen, all)) {
          const [owner, repo] = fullName.split('/');
          if (owner !== undefined && repo !== undefined) yield source(owner, repo);
        }
      }
    },
  };
}

async function* listed(
  client: HostAClient,
  group: string,
  batchSize: number,
): AsyncGenerator<{ readonly fullName: string }> {
  const route = await listRoute(client, group);
  const order = { per_page: Math.min(Math.max(batchSize, 30), 100), sort: 'full_name', direction: 'asc' };
  for (let page = 1, more = true; more; page += 1) {
    const { data, hasNext } = await client.rest(route, { group, page, ...order });
    for (const item of readList(data, 'repositories'))
      yield { fullName: readText(readObject(item, 'repository')['full_name'], 'full_name') };
    more = hasNext;
  }
}

/** An organization's list contains what its members may see. A name that is not an organization is a user. */
async function listRoute(client: HostAClient, group: string): Promise<string> {
  try {
    await client.rest('GET /orgs/{group}', { group });
    return 'GET /orgs/{group}/repos';
  } catch (error) {
    if (error instanceof SyncError && error.code === 'not_found') return 'GET /users/{group}/repos';
    throw error;
  }
}

async function openRepository(
  client: HostAClient,
  owner: string,
  repo: string,
  request: SyncRequest,
  dependencies: SyncDependencies,
): Promise<OpenRepository> {
  const { data } = await client.rest('GET /repos/{owner}/{repo}', { owner, repo });
  const described = readObject(data, 'repository');
  const cloneUrl = readText(described['clone_url'], 'clone_url');
  const identity = identityOfRemote(cloneUrl);
  if (identity === undefined)
    throw new SyncError('unexpected_reply', `host_a gave a clone_url that names no host: ${cloneUrl}`);
  const repository: HostARepository = {
    client,
    // The repository may have been renamed or moved; later requests use its current name.
    ...ownerAndName(described, owner, repo),
    defaultBranch: readTextOrNull(described['default_branch'], 'default_branch') ?? 'HEAD',
  };
  const url = readText(described['html_url'], 'html_url');
  const language = readTextOrNull(described['language'], 'language');
  return {
    identity,
    record: {
      repo: readText(described['full_name'], 'full_name'),
      ref: repository.defaultBranch,
      url,
      default_branch: repository.defaultBranch,
      created_at: readInstantOrNull(described['created_at'], 'created_at'),
      settings: {
        source: 'host_a',
        repo_id: readId(described['id'], 'id'),
        url,
        default_branch: repository.defaultBranch,
      },
      tags: language === null ? ['host_a'] : ['host_a', language],
    },
    ...codeownersOfHost(identity.name, request, dependencies, () => readCodeowners(repository)),
    reachable: () => reachOf(repository),
    pages: (start) => pages(repository, request, dependencies, start),
  };
}

function ownerAndName(described: JsonObject, owner: string, repo: string): { owner: string; repo: string } {
  const [currentOwner = owner, currentRepo = repo] = readText(described['full_name'], 'full_name').split('/');
  return { owner: currentOwner, repo: currentRepo };
}

function pages(
  repository: HostARepository,
  request: SyncRequest,
  { now }: SyncDependencies,
  start: Start,
): AsyncIterable<Page> {
  const { window } = request;
  switch (request.target) {
    case 'git':
      return commitPages(repository, request, start);
    case 'prs':
      return newestFirst(pullRequestListing(repository, window), start);
    case 'blame':
      return blamePages(repository, start);
    case 'cicd':
      return newestFirst(runListing(repository, window), start);
    case 'deployments':
      return newestFirst(deploymentListing(repository, window, now), start);
    case 'incidents':
      return newestFirst(incidentListing(repository, window), start);
    case 'issues':
      return newestFirst(issueListing(repository, window), start);
  }
}
