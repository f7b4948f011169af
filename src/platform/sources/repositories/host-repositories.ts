import type { Schemas } from '../../../../generated/platform/operations.js';
import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { propertyOf } from '../../server/json-values.js';
import { askCodeHost, type CodeHostAccess, type CodeHostLimits } from '../integrations/code-host.js';
import type { FoundRepositories, RepositorySearch } from './repository-search.js';

type Repository = Schemas['AvailableRepository'];

interface HostList {
  /** Relative to the API. Repositories of which the token's owner is a member, 100 per page, in a stable order. */
  path(page: number, text: string): string;
  hasNext(headers: Headers): boolean;
  /** The list in a reply, which may be something else. */
  itemsOf(body: unknown): unknown;
  /** @returns null if this is not a repository */
  repositoryOf(value: object): Repository | null;
}

// https://docs.github.com/en/rest/repos/repos#list-repositories-for-the-authenticated-user: it has no search.
const listOfUser: HostList = {
  path: (page) => `/user/repos?per_page=100&sort=full_name&page=${page}`,
  hasNext: (headers) => headers.get('link')?.includes('rel="next"') === true,
  itemsOf: (body) => body,
  repositoryOf: (value) => repository(value, 'full_name', Reflect.get(value, 'private')),
};

/**
 * What an installation of the app may read: it belongs to no user.
 * https://docs.github.com/en/rest/apps/installations#list-repositories-accessible-to-the-app-installation
 */
const listOfInstallation: HostList = {
  ...listOfUser,
  path: (page) => `/installation/repositories?per_page=100&page=${page}`,
  itemsOf: (body) => propertyOf(body, 'repositories'),
};

// https://docs.gitlab.com/api/projects/#list-all-projects
const listOfProjects: HostList = {
  path: (page, text) => {
    const search = text === '' ? '' : `&search_namespaces=true&search=${encodeURIComponent(text)}`;
    return `/projects?membership=true&order_by=id&sort=asc&per_page=100&page=${page}${search}`;
  },
  hasNext: (headers) => (headers.get('x-next-page') ?? '') !== '',
  itemsOf: (body) => body,
  repositoryOf: (value) => {
    const visibility: unknown = Reflect.get(value, 'visibility');
    const isPrivate = typeof visibility === 'string' ? visibility !== 'public' : null;
    return repository(value, 'path_with_namespace', isPrivate);
  },
};

const lists: Readonly<Record<Schemas['CodeHost'], Readonly<Record<CodeHostAccess['kind'], HostList>>>> = {
  host_a: { token: listOfUser, app: listOfInstallation },
  host_b: { token: listOfProjects, app: listOfProjects },
};

/** Maximum number of requests to the host per request of a caller. */
const mostRequests = 5;
/** A host returns about 6 kB per repository. */
const maxPageBytes = 16 * 1024 * 1024;

/**
 * Lists the names of the repositories that a token can access.
 *
 * @returns the names, or a reason for users why the host did not answer. If few of many repositories match, there may
 * be fewer names than `limit`, or none, with a start for the next page.
 */
export async function repositoriesOfHost(
  access: CodeHostAccess,
  { text, limit, start }: RepositorySearch,
  fetch: OutboundFetch,
  limits?: CodeHostLimits,
): Promise<FoundRepositories | { readonly failure: string }> {
  const list = lists[access.provider][access.kind];
  const items: Repository[] = [];
  let { page, skip } = start;
  for (let requests = 0; requests < mostRequests; requests += 1) {
    const question = {
      path: list.path(page, text),
      maxBytes: maxPageBytes,
      isExpected: (body: string) => repositoriesIn(body, list) !== null,
    };
    const reply = await askCodeHost(access, question, fetch, limits);
    if ('failure' in reply) return reply;
    const all = repositoriesIn(reply.text, list) ?? [];
    const matching = all.filter(({ name }) => name.toLowerCase().includes(text));
    const taken = matching.slice(skip, skip + limit - items.length);
    items.push(...taken);
    if (skip + taken.length < matching.length) return { items, next: { page, skip: skip + taken.length } };
    if (!list.hasNext(reply.headers)) return { items, next: null };
    page += 1;
    skip = 0;
    if (items.length === limit) break;
  }
  return { items, next: { page, skip } };
}

/** @returns null if this is not a list of repositories */
function repositoriesIn(body: string, { itemsOf, repositoryOf }: HostList): Repository[] | null {
  let value: unknown;
  try {
    value = itemsOf(JSON.parse(body));
  } catch {
    return null;
  }
  if (!Array.isArray(value)) return null;
  const found = value.map((each: unknown) => (typeof each === 'object' && each !== null ? repositoryOf(each) : null));
  return found.includes(null) ? null : found.filter((each) => each !== null);
}

function repository(value: object, nameProperty: string, isPrivate: unknown): Repository | null {
  const name: unknown = Reflect.get(value, nameProperty);
  if (typeof name !== 'string') return null;
  return { name, is_private: flag(isPrivate), is_archived: flag(Reflect.get(value, 'archived')) };
}

function flag(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}
