/** Reads what host_b's list of merge requests lacks, by GraphQL: one query for many requests, and more for long ones. */
import { mapInOrder } from '../map-in-order.js';
import type { JsonObject } from '../read.js';
import { readList, readObject, readObjectOrNull, readText, readTextOrNull } from '../read.js';
import type { HostBProject } from './project.js';

/** Requests per query. The host computes each size; a larger batch would exceed its time limit for a query. */
const AT_ONCE = 25;
const GROUPS_AT_ONCE = 2;

/** A query for `fields` of the merge requests in `$numbers`. */
export function batchQuery(fields: string): string {
  return `
  query ($project: ID!, $numbers: [String!]) {
    project(fullPath: $project) {
      mergeRequests(iids: $numbers, first: ${AT_ONCE}) { nodes { iid ${fields} } }
    }
  }`;
}

/** A query for the next page of a connection of the merge request `$number`. */
export function moreQuery(connection: 'commits' | 'notes', fields: string): string {
  return `
  query ($project: ID!, $number: String!, $after: String!) {
    project(fullPath: $project) {
      mergeRequest(iid: $number) { ${connection}(first: 100, after: $after) { ${fields} } }
    }
  }`;
}

/** Calls `work` for the numbers in groups, as many as one query may name, and collects what it finds by number. */
export async function inBatches<Found>(
  numbers: readonly number[],
  work: (some: readonly number[]) => Promise<readonly (readonly [number, Found])[]>,
): Promise<ReadonlyMap<number, Found>> {
  const groups: (readonly number[])[] = [];
  for (let start = 0; start < numbers.length; start += AT_ONCE) groups.push(numbers.slice(start, start + AT_ONCE));
  const found = new Map<number, Found>();
  for await (const group of mapInOrder(groups, GROUPS_AT_ONCE, work))
    for (const [number, each] of group) found.set(number, each);
  return found;
}

/** The merge requests of a {@link batchQuery}, by number. Those that the host omits are missing. */
export async function readBatch(
  project: HostBProject,
  query: string,
  numbers: readonly number[],
): Promise<readonly (readonly [string, JsonObject])[]> {
  const data = await project.gitlab.graphql(query, { project: project.path, numbers: numbers.map(String) });
  const found = readObjectOrNull(readObjectOrNull(data['project'], 'project')?.['mergeRequests'], 'mergeRequests');
  return readList(found?.['nodes'] ?? [], 'mergeRequests.nodes').flatMap((node) => {
    const request = readObjectOrNull(node, 'merge request');
    return request === null ? [] : [[readText(request['iid'], 'iid'), request] as const];
  });
}

/** Where the next page of a connection begins; null after the last. */
export function nextOf(connection: JsonObject): string | null {
  const { hasNextPage, endCursor } = readObject(connection['pageInfo'], 'pageInfo');
  return hasNextPage === true ? readTextOrNull(endCursor, 'endCursor') : null;
}

/** The connection of a {@link moreQuery}; null if the host no longer shows it. */
export async function readMore(
  project: HostBProject,
  number: string,
  after: string,
  query: string,
  connection: 'commits' | 'notes',
): Promise<JsonObject | null> {
  const data = await project.gitlab.graphql(query, { project: project.path, number, after });
  const request = readObjectOrNull(readObjectOrNull(data['project'], 'project')?.['mergeRequest'], 'mergeRequest');
  return readObjectOrNull(request?.[connection], connection);
}
