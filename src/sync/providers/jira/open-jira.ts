/** The jira provider: one project, or all projects of a site whose keys match a pattern. */
import { matchingRepositories } from '../../batch.js';
import type { SyncDependencies } from '../../dependencies.js';
import { SyncError } from '../../failures.js';
import { identityOfRemote } from '../../identity.js';
import type { SyncRequest } from '../../sync-request.js';
import type { OpenRepository, Provider, RepositorySource } from '../provider.js';
import {
  readId,
  readInteger,
  readList,
  readObject,
  readObjectOrNull,
  readText,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import { openJiraClient, type JiraClient } from './client.js';
import { issuePages } from './issues.js';
import type { JiraSite } from './project.js';

/** The projects to read. */
export interface ChosenProjects {
  readonly baseUrl: string;
  /** A key, or a pattern of keys. */
  readonly chosen: string;
  readonly isPattern: boolean;
}

/** Opens the provider; the first request is sent for the first project. */
export function openJira(
  { baseUrl, chosen, isPattern }: ChosenProjects,
  request: SyncRequest,
  dependencies: SyncDependencies,
): Provider {
  const client = openJiraClient(baseUrl, request.token, dependencies);
  let site: Promise<JiraSite> | undefined;
  const source = (key: string): RepositorySource => ({
    name: key,
    open: async () => openProject(await (site ??= siteAt(client, baseUrl)), key, request, dependencies),
  });
  return {
    async *repositories() {
      if (!isPattern) {
        yield source(chosen);
        return;
      }
      const matching = matchingRepositories('jira', { group: baseUrl, pattern: chosen }, listedProjects(client));
      for await (const { fullName } of matching) yield source(fullName);
    },
  };
}

async function openProject(
  site: JiraSite,
  name: string,
  { window }: SyncRequest,
  { now }: SyncDependencies,
): Promise<OpenRepository> {
  const described = readObject(await site.client.get(`/project/${name}`), 'project');
  // Its key may have changed; the former one still leads to it.
  const key = readText(described['key'], 'key');
  const url = `${site.baseUrl}/browse/${key}`;
  const identity = identityOfRemote(url);
  if (identity === undefined) throw new SyncError('unexpected_reply', `jira gave a key that has no page: ${key}`);
  return {
    identity: { ...identity, name: key },
    record: {
      repo: key,
      ref: null,
      url,
      default_branch: null,
      created_at: null,
      settings: {
        source: 'jira',
        repo_id: readId(described['id'], 'id'),
        url,
        name: readTextOrNull(described['name'], 'name'),
      },
      tags: ['jira'],
    },
    pages: (start) => issuePages({ ...site, key }, window, now, start),
  };
}

async function siteAt(client: JiraClient, baseUrl: string): Promise<JiraSite> {
  const server = readObject(await client.get('/serverInfo'), 'serverInfo');
  const isCloud = server['deploymentType'] === 'Cloud';
  return {
    client,
    baseUrl,
    isCloud,
    timeZone: client.hasToken ? await zoneOfUser(client) : null,
    isDone: await doneStatuses(client),
    epicLink: isCloud ? null : await epicLinkOf(client),
  };
}

async function zoneOfUser(client: JiraClient): Promise<string | null> {
  return readTextOrNull(readObject(await client.get('/myself'), 'myself')['timeZone'], 'timeZone');
}

async function doneStatuses(client: JiraClient): Promise<ReadonlyMap<string, boolean>> {
  return new Map(
    objectsIn(await client.get('/status'), 'status').map((status) => {
      const category = readObjectOrNull(status['statusCategory'], 'statusCategory');
      return [readId(status['id'], 'status.id'), category?.['key'] === 'done'];
    }),
  );
}

/** The ids of custom fields differ by site; their types do not. */
async function epicLinkOf(client: JiraClient): Promise<string | null> {
  const field = objectsIn(await client.get('/field'), 'field').find(
    ({ schema }) => readObjectOrNull(schema, 'schema')?.['custom'] === 'com.pyxis.greenhopper.jira:gh-epic-link',
  );
  return field === undefined ? null : readId(field['id'], 'field.id');
}

/** Cloud lists projects in pages, which Data Center does not know: there it would be a project with the key `search`. */
async function* listedProjects(client: JiraClient): AsyncGenerator<{ readonly fullName: string }> {
  const server = readObject(await client.get('/serverInfo'), 'serverInfo');
  if (server['deploymentType'] !== 'Cloud') {
    for (const fullName of keysIn(await client.get('/project'))) yield { fullName };
    return;
  }
  // A project that is created or renamed meanwhile moves others to the next page.
  const listed = new Set<string>();
  for (let start = 0; ;) {
    const query = { startAt: String(start), maxResults: '50', orderBy: 'key' };
    const page = readObject(await client.get('/project/search', query), 'projects');
    const keys = keysIn(page['values']);
    for (const fullName of keys) if (!listed.has(fullName)) yield { fullName };
    for (const key of keys) listed.add(key);
    start += keys.length;
    if (keys.length === 0 || page['isLast'] === true || start >= readInteger(page['total'], 'total')) return;
  }
}

function keysIn(projects: unknown): readonly string[] {
  return objectsIn(projects, 'projects').map(({ key }) => readText(key, 'key'));
}

function objectsIn(value: unknown, name: string): readonly JsonObject[] {
  return readList(value, name).map((item) => readObject(item, name));
}
