import type { Schemas } from '../../../../generated/platform/operations.js';

const schemas: Schemas['ScimUserList']['schemas'] = ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];

/** The largest number of results on a page. */
export const mostResults = 200;

/** The largest number of members or groups that the resources of a page have together. */
const mostReferences = 10_000;

/** How many references are selected for a page: one more than it may have shows that it must be shortened. */
export const selectedReferences = mostReferences + 1;

/**
 * The resources of a page with their references, such as the members of groups. Leaves out the last resources if they
 * have too many references together, which RFC 7644, section 3.4.2.4 allows: building a larger reply would block the
 * server. No resource has more references than a page, so that a page is never empty because of them.
 *
 * @param references at most `selectedReferences`, in the order of `rows`
 * @param holderOf the id of the resource that has a reference
 */
export function pageWithReferences<Row extends { readonly id: string }, Reference>(
  rows: readonly Row[],
  references: readonly Reference[],
  holderOf: (reference: Reference) => string,
): readonly (readonly [Row, readonly Reference[]])[] {
  const byHolder = new Map<string, Reference[]>(rows.map(({ id }) => [id, []]));
  for (const reference of references) byHolder.get(holderOf(reference))?.push(reference);
  const excess = references[mostReferences];
  const end = excess === undefined ? rows.length : rows.findIndex(({ id }) => id === holderOf(excess));
  return rows.slice(0, end).map((row) => [row, byHolder.get(row.id) ?? []]);
}

/** Where a page begins, from the parameters of RFC 7644, section 3.4.2.4: numbers out of range are corrected. */
export function pageOf(startIndex: number, count: number): { readonly offset: number; readonly limit: number } {
  // A larger offset than any list is still a number that PostgreSQL accepts.
  const offset = Math.min(Math.max(startIndex, 1), 1_000_000_000) - 1;
  return { offset, limit: Math.min(Math.max(count, 0), mostResults) };
}

/** The body of a list. */
export function listOf<Resource>(
  resources: Resource[],
  offset: number,
  total: number,
): Omit<Schemas['ScimUserList'], 'Resources'> & { Resources: Resource[] } {
  return {
    schemas,
    totalResults: total,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
