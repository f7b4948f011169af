import type { Schemas } from '../../../../generated/platform/operations.js';
import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { parsedJson, propertyOf } from '../../server/json-values.js';
import { askCodeHost, type CodeHostAccess, type CodeHostLimits } from '../integrations/code-host.js';
import type { RepositoryList } from '../../../sync/providers/code-host.js';
import { codeHostOf } from '../../../sync/providers/registry.js';
import type { FoundRepositories, RepositorySearch } from './repository-search.js';

type Repository = Schemas['AvailableRepository'];

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
  const list = codeHostOf(access.provider).lists[access.kind];
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
function repositoriesIn(body: string, list: RepositoryList): Repository[] | null {
  const reply = parsedJson(body);
  const value = list.property === undefined ? reply : propertyOf(reply, list.property);
  if (!Array.isArray(value)) return null;
  const found = value.map((each: unknown) =>
    typeof each === 'object' && each !== null ? repository(each, list) : null,
  );
  return found.includes(null) ? null : found.filter((each) => each !== null);
}

function repository(value: object, list: RepositoryList): Repository | null {
  const name: unknown = Reflect.get(value, list.name);
  if (typeof name !== 'string') return null;
  return { name, is_private: flag(list.isPrivate(value)), is_archived: flag(Reflect.get(value, 'archived')) };
}

function flag(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}
