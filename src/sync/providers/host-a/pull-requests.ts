/** `sync prs` from host_a: pull requests with their reviews, by GraphQL, so that a page costs one request. */
import type { Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import type { Listing } from '../newest-first.js';
import {
  readId,
  readInstant,
  readInstantOrNull,
  readInteger,
  readObject,
  readObjectOrNull,
  readText,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import { loginOfActor } from './actor.js';
import { connectionPages, nodes, type Connection } from './connection.js';
import type { HostARepository } from './repository.js';

const COMMITS = `
  fragment Commits on PullRequestCommitConnection {
    nodes { commit { oid authoredDate } }
    pageInfo { hasNextPage endCursor }
  }`;

const PULL_REQUESTS: Connection = {
  name: 'pullRequests',
  sortedBy: 'UPDATED_AT',
  perPage: 25,
  node: `
    number title body state createdAt updatedAt mergedAt closedAt
    headRefName baseRefName headRefOid mergeCommit { oid }
    additions deletions changedFiles
    author { __typename login }
    labels(first: 50) { nodes { name } }
    comments(first: 1) { totalCount nodes { createdAt } }
    reviews(first: 100) { totalCount nodes { databaseId state submittedAt author { __typename login } } }
    commits(first: 100) { ...Commits }`,
  fragments: COMMITS,
};

/** The remaining commits of a long pull request; the host returns up to 250. */
const MORE_COMMITS = `
  query ($owner: String!, $repo: String!, $number: Int!, $after: String!) {
    repository(owner: $owner, name: $repo) {
      pullRequest(number: $number) { commits(first: 100, after: $after) { ...Commits } }
    }
  }
  ${COMMITS}`;

const MOST_COMMITS = 1000;

export function pullRequestListing(repository: HostARepository, window: TimeWindow): Listing<JsonObject> {
  return {
    most: Infinity,
    window,
    fetch: connectionPages(repository, PULL_REQUESTS),
    sortedBy: (request) => readInstant(request['updatedAt'], 'updatedAt'),
    records: async (requests) => {
      const rows: Row<'git_pull_requests'>[] = [];
      for (const request of requests) rows.push(requestRow(request, await commitsOf(repository, request)));
      return { git_pull_requests: rows, git_pull_request_reviews: requests.flatMap(submitted) };
    },
  };
}

/** The commits of a request. */
interface RequestCommits {
  readonly hashes: readonly string[];
  /** The earliest author date; null without commits. */
  readonly firstAt: number | null;
}

/** All commits of a pull request. Its page contains them unless there are many. */
async function commitsOf({ client, owner, repo }: HostARepository, request: JsonObject): Promise<RequestCommits> {
  const hashes: string[] = [];
  let firstAt: number | null = null;
  let connection = readObject(request['commits'], 'commits');
  for (;;) {
    for (const node of nodes(connection, 'commits')) {
      const commit = readObject(node['commit'], 'commit');
      hashes.push(readText(commit['oid'], 'oid'));
      const authored = readInstant(commit['authoredDate'], 'authoredDate');
      firstAt = Math.min(firstAt ?? authored, authored);
    }
    const { hasNextPage, endCursor } = readObject(connection['pageInfo'], 'pageInfo');
    const after = readTextOrNull(endCursor, 'endCursor');
    if (hasNextPage !== true || after === null || hashes.length >= MOST_COMMITS) return { hashes, firstAt };
    const number = readInteger(request['number'], 'number');
    const data = await client.graphql(MORE_COMMITS, { owner, repo, number, after });
    const again = readObject(readObject(data['repository'], 'repository')['pullRequest'], 'pullRequest');
    connection = readObject(again['commits'], 'commits');
  }
}

function requestRow(request: JsonObject, commits: RequestCommits): Row<'git_pull_requests'> {
  const reviews = submitted(request);
  const comments = readObject(request['comments'], 'comments');
  const [firstComment] = nodes(comments, 'comments');
  return {
    number: readInteger(request['number'], 'number'),
    title: readText(request['title'], 'title'),
    body: readTextOrNull(request['body'], 'body') || null,
    state: readText(request['state'], 'state').toLowerCase(),
    author_name: login(request),
    author_email: null,
    created_at: readInstant(request['createdAt'], 'createdAt'),
    updated_at: readInstant(request['updatedAt'], 'updatedAt'),
    merged_at: readInstantOrNull(request['mergedAt'], 'mergedAt'),
    closed_at: readInstantOrNull(request['closedAt'], 'closedAt'),
    head_branch: readTextOrNull(request['headRefName'], 'headRefName'),
    base_branch: readTextOrNull(request['baseRefName'], 'baseRefName'),
    head_hash: readTextOrNull(request['headRefOid'], 'headRefOid'),
    merge_hash: readTextOrNull(readObjectOrNull(request['mergeCommit'], 'mergeCommit')?.['oid'], 'mergeCommit.oid'),
    commit_hashes: commits.hashes,
    labels: nodes(readObjectOrNull(request['labels'], 'labels') ?? { nodes: [] }, 'labels').map((label) =>
      readText(label['name'], 'name'),
    ),
    additions: readInteger(request['additions'], 'additions'),
    deletions: readInteger(request['deletions'], 'deletions'),
    changed_files: readInteger(request['changedFiles'], 'changedFiles'),
    first_commit_at: commits.firstAt,
    first_review_at: reviews.length === 0 ? null : Math.min(...reviews.map((review) => review.submitted_at)),
    first_comment_at: firstComment === undefined ? null : readInstant(firstComment['createdAt'], 'createdAt'),
    changes_requested_count: reviews.filter((review) => review.state === 'CHANGES_REQUESTED').length,
    reviews_count: readInteger(readObject(request['reviews'], 'reviews')['totalCount'], 'reviews.totalCount'),
    comments_count: readInteger(comments['totalCount'], 'comments.totalCount'),
    evidence: null,
    notes_read: null,
  };
}

/** Reviews that were submitted; pending ones are drafts that only their authors see. */
function submitted(request: JsonObject): Row<'git_pull_request_reviews'>[] {
  const number = readInteger(request['number'], 'number');
  return nodes(readObject(request['reviews'], 'reviews'), 'reviews')
    .filter((review) => review['submittedAt'] !== null)
    .map((review) => ({
      number,
      review_id: readId(review['databaseId'], 'review.databaseId'),
      reviewer: login(review) ?? 'ghost',
      state: readText(review['state'], 'review.state'),
      submitted_at: readInstant(review['submittedAt'], 'submittedAt'),
    }));
}

/** The author's login; null if the account was deleted. */
function login(item: JsonObject): string | null {
  return loginOfActor(item['author'], 'author');
}
