/** Reads the commits and sizes of merge requests, which host_b's list lacks, by GraphQL in batches. */
import { mapInOrder } from '../map-in-order.js';
import type { JsonObject } from '../read.js';
import {
  readInstantOrNull,
  readInteger,
  readIntegerOrNull,
  readList,
  readObject,
  readObjectOrNull,
  readText,
  readTextOrNull,
} from '../read.js';
import type { HostBProject } from './project.js';

export interface RequestDetails {
  readonly commits: readonly string[];
  /** The earliest author date of the commits; null without commits. */
  readonly firstCommitAt: number | null;
  /** Null if the host no longer compares the branches. */
  readonly additions: number | null;
  readonly deletions: number | null;
  readonly changedFiles: number | null;
}

const UNKNOWN: RequestDetails = {
  commits: [],
  firstCommitAt: null,
  additions: null,
  deletions: null,
  changedFiles: null,
};

/** Requests per query. The host computes each size; a larger batch would exceed its time limit for a query. */
const AT_ONCE = 25;
const GROUPS_AT_ONCE = 2;

/** The same maximum as for pull requests of a clone. */
const MOST_COMMITS = 1000;

const COMMITS = 'nodes { sha authoredDate } pageInfo { hasNextPage endCursor }';

const DETAILS = `
  query ($project: ID!, $numbers: [String!]) {
    project(fullPath: $project) {
      mergeRequests(iids: $numbers, first: ${AT_ONCE}) {
        nodes {
          iid
          diffStatsSummary { additions deletions fileCount }
          commits(first: 100) { ${COMMITS} }
        }
      }
    }
  }`;

const MORE_COMMITS = `
  query ($project: ID!, $number: String!, $after: String!) {
    project(fullPath: $project) {
      mergeRequest(iid: $number) { commits(first: 100, after: $after) { ${COMMITS} } }
    }
  }`;

/** The details of merge requests by number. Requests that the host omits are missing. */
export async function requestDetails(
  project: HostBProject,
  numbers: readonly number[],
): Promise<(number: number) => RequestDetails> {
  const groups: (readonly number[])[] = [];
  for (let start = 0; start < numbers.length; start += AT_ONCE) groups.push(numbers.slice(start, start + AT_ONCE));
  const details = new Map<number, RequestDetails>();
  for await (const group of mapInOrder(groups, GROUPS_AT_ONCE, (some) => readGroup(project, some)))
    for (const [number, each] of group) details.set(number, each);
  return (number) => details.get(number) ?? UNKNOWN;
}

async function readGroup(
  project: HostBProject,
  numbers: readonly number[],
): Promise<readonly (readonly [number, RequestDetails])[]> {
  const variables = { project: project.path, numbers: numbers.map(String) };
  const data = await project.gitlab.graphql(DETAILS, variables);
  const found = readObjectOrNull(readObjectOrNull(data['project'], 'project')?.['mergeRequests'], 'mergeRequests');
  const details: [number, RequestDetails][] = [];
  for (const node of readList(found?.['nodes'] ?? [], 'mergeRequests.nodes')) {
    const request = readObjectOrNull(node, 'merge request');
    if (request === null) continue;
    const number = readText(request['iid'], 'iid');
    const size = readObjectOrNull(request['diffStatsSummary'], 'diffStatsSummary');
    details.push([
      Number(number),
      {
        ...(await allCommits(project, number, readObjectOrNull(request['commits'], 'commits'))),
        additions: readIntegerOrNull(size?.['additions'], 'additions'),
        deletions: readIntegerOrNull(size?.['deletions'], 'deletions'),
        changedFiles: size === null ? null : readInteger(size['fileCount'], 'fileCount'),
      },
    ]);
  }
  return details;
}

async function allCommits(
  project: HostBProject,
  number: string,
  first: JsonObject | null,
): Promise<Pick<RequestDetails, 'commits' | 'firstCommitAt'>> {
  const commits: string[] = [];
  let firstCommitAt: number | null = null;
  let connection = first;
  while (connection !== null) {
    for (const node of readList(connection['nodes'] ?? [], 'commits.nodes')) {
      const commit = readObject(node, 'commit');
      commits.push(readText(commit['sha'], 'sha'));
      const authored = readInstantOrNull(commit['authoredDate'], 'authoredDate');
      if (authored !== null) firstCommitAt = Math.min(firstCommitAt ?? authored, authored);
    }
    const { hasNextPage, endCursor } = readObject(connection['pageInfo'], 'pageInfo');
    const after = readTextOrNull(endCursor, 'endCursor');
    if (hasNextPage !== true || after === null || commits.length >= MOST_COMMITS) break;
    const data = await project.gitlab.graphql(MORE_COMMITS, { project: project.path, number, after });
    const request = readObjectOrNull(readObjectOrNull(data['project'], 'project')?.['mergeRequest'], 'mergeRequest');
    connection = readObjectOrNull(request?.['commits'], 'commits');
  }
  return { commits, firstCommitAt };
}
