/** The host_b provider: one project, or all projects of a group or user that match a pattern. */
import { matchingRepositories } from '../../batch.js';
import { SyncError } from '../../failures.js';
import { openGate } from '../../http/gate.js';
import { identityOfRemote } from '../../identity.js';
import type { SyncRequest } from '../../sync-request.js';
import type { SyncDependencies } from '../../dependencies.js';
import { codeownersOfHost } from '../codeowners-of-host.js';
import { newestFirst } from '../newest-first.js';
import type { OpenRepository, Page, Provider, RepositorySource, Start } from '../provider.js';
import {
  readId,
  readInstantOrNull,
  readInteger,
  readObject,
  readText,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import { blamePages } from './blame.js';
import { onePage, openGitlab, readPage, type Gitlab, type HostBClient } from './client.js';
import { readCodeowners } from './codeowners.js';
import { commitPages, reachOf } from './commits.js';
import { deploymentListing, incidentListing, pipelineListing } from './events.js';
import { issuePages } from './issues.js';
import { mergeRequestListing } from './merge-requests.js';
import type { HostBProject } from './project.js';
import type { ManyRepositories } from '../selections.js';

/** Opens the provider; the first request is sent for the first project. @param chosen the number of a project, or many */
export async function openHostB(
  baseUrl: string,
  chosen: number | ManyRepositories,
  request: SyncRequest,
  dependencies: SyncDependencies,
): Promise<Provider> {
  const gate = openGate({ host: 'host_b', ...dependencies });
  const gitlab = await openGitlab(baseUrl, request.token, gate, dependencies);
  const source = (id: number, name: string): RepositorySource => ({
    name,
    open: () => openProject(gitlab, id, request, dependencies),
  });
  return {
    async *repositories() {
      if (typeof chosen === 'number') yield source(chosen, `project ${chosen}`);
      else
        for await (const { id, fullName } of matchingRepositories('host_b', chosen, listed(gitlab, chosen.group)))
          yield source(id, fullName);
    },
  };
}

async function* listed(
  gitlab: Gitlab,
  group: string,
): AsyncGenerator<{ readonly fullName: string; readonly id: number }> {
  const options = { includeSubgroups: true, orderBy: 'path', sort: 'asc' };
  let list = (page: number): Promise<unknown> => gitlab.Groups.allProjects(group, { ...options, ...onePage(page) });
  let page = await firstPage(list, async () => {
    list = (number) => gitlab.Users.allProjects(group, { orderBy: 'path', sort: 'asc', ...onePage(number) });
    return list(1);
  });
  for (;;) {
    for (const item of page.items) {
      const project = readObject(item, 'project');
      const fullName = readText(project['path_with_namespace'], 'path_with_namespace');
      yield { fullName, id: readInteger(project['id'], 'id') };
    }
    if (page.next === null) break;
    page = readPage(await list(Number(page.next)));
  }
}

/** A name that is not a group is a user. */
async function firstPage(
  list: (page: number) => Promise<unknown>,
  otherwise: () => Promise<unknown>,
): Promise<ReturnType<typeof readPage>> {
  try {
    return readPage(await list(1));
  } catch (error) {
    if (error instanceof SyncError && error.code === 'not_found') return readPage(await otherwise());
    throw error;
  }
}

async function openProject(
  gitlab: HostBClient,
  id: number,
  request: SyncRequest,
  dependencies: SyncDependencies,
): Promise<OpenRepository> {
  const described = readObject(await gitlab.Projects.show(id), 'project');
  const cloneUrl = readText(described['http_url_to_repo'], 'http_url_to_repo');
  const identity = identityOfRemote(cloneUrl);
  if (identity === undefined)
    throw new SyncError('unexpected_reply', `host_b gave an http_url_to_repo that names no host: ${cloneUrl}`);
  const defaultBranch = readTextOrNull(described['default_branch'], 'default_branch');
  const path = readText(described['path_with_namespace'], 'path_with_namespace');
  const project: HostBProject = { gitlab, id, path, defaultBranch };
  const url = readText(described['web_url'], 'web_url');
  return {
    identity,
    record: {
      repo: path,
      ref: defaultBranch,
      url,
      default_branch: defaultBranch,
      created_at: readInstantOrNull(described['created_at'], 'created_at'),
      settings: { source: 'host_b', project_id: readId(described['id'], 'id'), url, default_branch: defaultBranch },
      tags: ['host_b'],
    },
    ...codeownersOfHost(identity.name, request, dependencies, () => readCodeowners(project)),
    reachable: () => reachOf(project),
    pages: (start) => pages(project, request, start),
  };
}

function pages(project: HostBProject, request: SyncRequest, start: Start): AsyncIterable<Page> {
  const { window } = request;
  const list = (listing: Parameters<typeof newestFirst<JsonObject>>[0]): AsyncIterable<Page> =>
    newestFirst(listing, start);
  switch (request.target) {
    case 'git':
      return commitPages(project, request, start);
    case 'prs':
      return list(mergeRequestListing(project, window));
    case 'blame':
      return blamePages(project, start);
    case 'cicd':
      return list(pipelineListing(project, window));
    case 'deployments':
      return list(deploymentListing(project, window));
    case 'incidents':
      return list(incidentListing(project, window));
    case 'issues':
      return issuePages(project, window, start);
  }
}
