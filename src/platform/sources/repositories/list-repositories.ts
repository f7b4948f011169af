import type { ListRepositoriesHandler, Schemas } from '../../../../generated/platform/operations.js';
import { codeHostFailed } from '../../../../generated/problems.js';
import { validationProblem } from '@plumbline/contract/violations';
import type { PlatformDependencies } from '../../dependencies.js';
import { demoRepositories } from '../../figures/demo/demo-content.js';
import { openAccess } from '../integrations/open-access.js';
import { localRootOf } from '../sync-runs/local-root.js';
import { unknownIntegration, violationsOfIntegration } from '../sync-runs/sync-rules.js';
import { describedProvider } from '../../../sync/providers/registry.js';
import { repositoriesOfHost } from './host-repositories.js';
import type { FoundRepositories, PageStart, RepositorySearch } from './repository-search.js';

export const listRepositories: ListRepositoriesHandler<PlatformDependencies> = async (
  { query, principal },
  dependencies,
) => {
  const { outbound, settings } = dependencies;
  const { provider, limit } = query;
  const integrationId = query.integration_id ?? null;
  const violations = violationsOfIntegration(provider, integrationId, 'query');
  if (violations.length > 0) return validationProblem(violations);
  const start = readCursor(query.cursor);
  if (start === null) {
    const message = 'must be the next_cursor of an earlier page, unchanged';
    return validationProblem([{ path: '/query/cursor', rule: 'format', message }]);
  }
  const search: RepositorySearch = { text: query.query?.toLowerCase() ?? '', limit, start };
  if (integrationId === null) {
    const server = { localRoot: localRootOf(principal.org_id, settings), madeUp: demoRepositories };
    const names = await describedProvider(provider).names?.(server);
    return replyWith(pageOf(names ?? [], search));
  }
  const opened = await openAccess(dependencies, principal.org_id, integrationId);
  if (opened === null || provider !== opened.provider) {
    return validationProblem([unknownIntegration(provider, 'query')]);
  }
  if ('failure' in opened) return codeHostFailed({ message: opened.failure });
  const found = await repositoriesOfHost(opened.access, search, outbound);
  return 'failure' in found ? codeHostFailed({ message: found.failure }) : replyWith(found);
};

function replyWith({ items, next }: FoundRepositories): {
  readonly status: 200;
  readonly body: Schemas['RepositoryPage'];
} {
  return { status: 200, body: { items, next_cursor: next === null ? null : cursorOf(next) } };
}

/** A page of a list that is completely known. */
function pageOf(names: readonly string[], { text, limit, start }: RepositorySearch): FoundRepositories {
  const matching = names.filter((name) => name.toLowerCase().includes(text));
  const end = start.skip + limit;
  return {
    items: matching.slice(start.skip, end).map((name) => ({ name, is_private: null, is_archived: null })),
    next: end < matching.length ? { page: 1, skip: end } : null,
  };
}

function cursorOf({ page, skip }: PageStart): string {
  return Buffer.from(`${page} ${skip}`).toString('base64url');
}

/** @returns null for a cursor that the server did not issue */
function readCursor(cursor: string | undefined): PageStart | null {
  if (cursor === undefined) return { page: 1, skip: 0 };
  const match = /^([1-9]\d{0,5}) (\d{1,6})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  return match === null ? null : { page: Number(match[1]), skip: Number(match[2]) };
}
