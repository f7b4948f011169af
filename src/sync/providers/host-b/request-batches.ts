/** Reads what host_b's list of merge requests lacks, by GraphQL: one query for many requests, and more for long ones. */
import { isUnanswered } from '../../failures.js';
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

/** What the host answers about merge requests, by number. */
export interface Answered<Found> {
  readonly found: ReadonlyMap<number, Found>;
  /** The numbers of those that it did not answer in time. */
  readonly unanswered: readonly number[];
}

type Work<Found> = (numbers: readonly number[]) => Promise<readonly (readonly [number, Found])[]>;

/** The sizes of smaller groups. */
const SMALLER = [5, 1];

/**
 * Returns a function that calls `work` for the numbers in groups, as many as one query may name, and in smaller ones if
 * the host does not answer in time. Once it answers nothing about a whole group, it is not asked again in this sync: each
 * question would take its time limit.
 */
export function inBatches<Found>(work: Work<Found>): (numbers: readonly number[]) => Promise<Answered<Found>> {
  let isOverloaded = false;
  const readGroup = async (group: readonly number[]): Promise<Answered<Found>> => {
    if (isOverloaded) return nothing(group);
    const read = await readParts(group, SMALLER, work);
    isOverloaded ||= group.length > 1 && read.unanswered.length === group.length;
    return read;
  };
  return async (numbers) => {
    const all: Answered<Found>[] = [];
    for await (const read of mapInOrder(chunksOf(numbers, AT_ONCE), GROUPS_AT_ONCE, readGroup)) all.push(read);
    return joined(all);
  };
}

async function readParts<Found>(
  numbers: readonly number[],
  [size, ...smaller]: readonly number[],
  work: Work<Found>,
): Promise<Answered<Found>> {
  try {
    return { found: new Map(await work(numbers)), unanswered: [] };
  } catch (error) {
    if (!isUnanswered(error)) throw error;
  }
  if (size === undefined) return nothing(numbers);
  const parts: Answered<Found>[] = [];
  for (const part of chunksOf(numbers, size)) {
    const read = await readParts(part, smaller, work);
    // The first of several parts shows whether the others are worth their time limits.
    if (parts.length === 0 && smaller.length > 0 && read.unanswered.length === part.length) return nothing(numbers);
    parts.push(read);
  }
  return joined(parts);
}

function nothing<Found>(numbers: readonly number[]): Answered<Found> {
  return { found: new Map(), unanswered: numbers };
}

function joined<Found>(parts: readonly Answered<Found>[]): Answered<Found> {
  return {
    found: new Map(parts.flatMap(({ found }) => [...found])),
    unanswered: parts.flatMap(({ unanswered }) => unanswered),
  };
}

function chunksOf<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
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
