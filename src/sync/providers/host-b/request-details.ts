/** Reads the commits and sizes of merge requests, which host_b's list lacks. */
import type { JsonObject } from '../read.js';
import {
  readInstantOrNull,
  readInteger,
  readIntegerOrNull,
  readList,
  readObject,
  readObjectOrNull,
  readText,
} from '../read.js';
import type { HostBProject } from './project.js';
import { type Answered, batchQuery, inBatches, moreQuery, nextOf, readBatch, readMore } from './request-batches.js';

export interface RequestDetails {
  readonly commits: readonly string[];
  /** The earliest author date of the commits; null without commits. */
  readonly firstCommitAt: number | null;
  /** Null if the host no longer compares the branches. */
  readonly additions: number | null;
  readonly deletions: number | null;
  readonly changedFiles: number | null;
}

/** The same maximum as for pull requests of a clone. */
const MOST_COMMITS = 1000;

const COMMITS = 'nodes { sha authoredDate } pageInfo { hasNextPage endCursor }';
const DETAILS = batchQuery(`diffStatsSummary { additions deletions fileCount } commits(first: 100) { ${COMMITS} }`);
const MORE_COMMITS = moreQuery('commits', COMMITS);

/** Reads the details of merge requests by number. Requests that the host omits are missing. */
export function requestDetails(
  project: HostBProject,
): (numbers: readonly number[]) => Promise<Answered<RequestDetails>> {
  return inBatches(async (some) => {
    const found: [number, RequestDetails][] = [];
    for (const [number, request] of await readBatch(project, DETAILS, some))
      found.push([Number(number), await readDetails(project, number, request)]);
    return found;
  });
}

async function readDetails(project: HostBProject, number: string, request: JsonObject): Promise<RequestDetails> {
  const size = readObjectOrNull(request['diffStatsSummary'], 'diffStatsSummary');
  return {
    ...(await allCommits(project, number, readObjectOrNull(request['commits'], 'commits'))),
    additions: readIntegerOrNull(size?.['additions'], 'additions'),
    deletions: readIntegerOrNull(size?.['deletions'], 'deletions'),
    changedFiles: size === null ? null : readInteger(size['fileCount'], 'fileCount'),
  };
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
    const after = nextOf(connection);
    if (after === null || commits.length >= MOST_COMMITS) break;
    connection = await readMore(project, number, after, MORE_COMMITS, 'commits');
  }
  return { commits, firstCommitAt };
}
