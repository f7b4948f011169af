/** Reads a list of a repository by GraphQL, in smaller pages if the host cannot answer a large one. */
import { isUnanswered, SyncError } from '../../failures.js';
import type { Listing, ListingPage } from '../newest-first.js';
import { readList, readObject, readText, type JsonObject } from '../read.js';
import type { HostARepository } from './repository.js';

export interface Connection {
  readonly name: 'deployments' | 'issues' | 'pullRequests';
  /** The field by which it is sorted, latest first. */
  readonly sortedBy: 'CREATED_AT' | 'UPDATED_AT';
  /** The selection for a node. */
  readonly node: string;
  /** What is selected in addition, where the host knows these fields. */
  readonly added?: { readonly fields: readonly string[]; readonly selection: string };
  /** The definitions of the fragments that `node` names. */
  readonly fragments?: string;
  /** Entries per page. The host gives up on a query that takes more than ten seconds. */
  readonly perPage: number;
}

/** More unreadable entries in one run than this are a failure of the host. The next run continues after them. */
const MOST_SKIPPED = 20;

/** The `fetch` of a listing. */
export function connectionPages(
  { client, owner, repo }: HostARepository,
  connection: Connection,
): Listing<JsonObject>['fetch'] {
  const { node, added, fragments } = connection;
  const plainQuery = queryOf(connection, `nodes { ${node} }`, fragments);
  let query = added === undefined ? plainQuery : queryOf(connection, `nodes { ${node} ${added.selection} }`, fragments);
  const pageInfoOnly = queryOf(connection, '');
  let size = connection.perPage;
  let skipped = 0;
  return async (after) => {
    for (;;) {
      try {
        const data = await client.graphql(query, { owner, repo, after, first: size });
        size = Math.min(size * 2, connection.perPage);
        return listingPage(data, connection.name);
      } catch (error) {
        // An old host refuses the whole query.
        if (query !== plainQuery && isOfUnknownField(error, added?.fields ?? [])) {
          query = plainQuery;
          continue;
        }
        if (!isUnanswered(error)) throw error;
        // This fails if the host does not answer at all. Otherwise the page is too heavy for it.
        const { next } = listingPage(
          await client.graphql(pageInfoOnly, { owner, repo, after, first: 1 }),
          connection.name,
        );
        if (size === 1) {
          skipped += 1;
          if (skipped > MOST_SKIPPED) throw error;
          return { items: [], next, skipped: 1 };
        }
        size = Math.max(1, Math.floor(size / 3));
      }
    }
  };
}

/** Whether the host says that it does not know one of the fields: "Field 'parent' doesn't exist on type 'Issue'". */
function isOfUnknownField(error: unknown, fields: readonly string[]): boolean {
  if (!(error instanceof SyncError) || error.code !== 'unexpected_reply') return false;
  return fields.some((field) => error.message.includes(`Field '${field}' doesn't exist on type`));
}

function queryOf({ name, sortedBy }: Connection, nodes: string, fragments = ''): string {
  return `
  query ($owner: String!, $repo: String!, $after: String, $first: Int!) {
    repository(owner: $owner, name: $repo) {
      ${name}(first: $first, after: $after, orderBy: { field: ${sortedBy}, direction: DESC }) {
        pageInfo { hasNextPage endCursor }
        ${nodes}
      }
    }
  }
  ${fragments}`;
}

/** A page of a connection of the repository, as GraphQL returns it. */
function listingPage(data: JsonObject, name: string): ListingPage<JsonObject> {
  const connection = readObject(readObject(data['repository'], 'repository')[name], name);
  const pageInfo = readObject(connection['pageInfo'], 'pageInfo');
  return {
    items: nodes(connection, name),
    hidden: readList(connection['nodes'] ?? [], 'nodes').filter((node) => node === null).length,
    next: pageInfo['hasNextPage'] === true ? readText(pageInfo['endCursor'], 'endCursor') : null,
  };
}

/** The nodes of a connection. The host returns null for nodes that the token may not see. */
export function nodes(connection: JsonObject, name: string): JsonObject[] {
  return readList(connection['nodes'] ?? [], `${name}.nodes`)
    .filter((node) => node !== null)
    .map((node) => readObject(node, name));
}
