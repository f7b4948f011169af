/** `sync prs` from Gitea. The list has neither sizes, nor reviews, nor commits: three requests for each changed one. */
import { SyncError } from '../../failures.js';
import type { Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import { mapInOrder } from '../map-in-order.js';
import type { Listing } from '../newest-first.js';
import { pageNumber } from '../page-number.js';
import {
  readId,
  readInstant,
  readInstantOrNull,
  readInteger,
  readIntegerOrNull,
  readList,
  readObject,
  readText,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import { loginIn, type GiteaRepository } from './repository.js';

/** Requests whose details are read at once. */
const AT_ONCE = 4;

/** The states of submitted reviews. A request for a review is a review in this API, too, and is left out. */
const STATES: ReadonlyMap<unknown, string> = new Map([
  ['APPROVED', 'APPROVED'],
  ['REQUEST_CHANGES', 'CHANGES_REQUESTED'],
  ['COMMENT', 'COMMENTED'],
]);

export function pullRequestListing(repository: GiteaRepository, window: TimeWindow): Listing<JsonObject> {
  const { client, path } = repository;
  return {
    most: Infinity,
    window,
    fetch: async (cursor) => {
      const page = pageNumber(cursor);
      const query = { state: 'all', sort: 'recentupdate' };
      const { items, hasNext } = await client.list(`${path}/pulls`, page, { query });
      return { items, next: hasNext ? String(page + 1) : null };
    },
    sortedBy: (request) => readInstant(request['updated_at'], 'updated_at'),
    records: async (requests) => {
      const rows: Row<'git_pull_requests'>[] = [];
      const reviews: Row<'git_pull_request_reviews'>[] = [];
      for await (const read of mapInOrder(requests, AT_ONCE, (request) => detailsOf(repository, request))) {
        rows.push(read.row);
        reviews.push(...read.reviews);
      }
      return { git_pull_requests: rows, git_pull_request_reviews: reviews };
    },
  };
}

interface RequestRecords {
  readonly row: Row<'git_pull_requests'>;
  readonly reviews: readonly Row<'git_pull_request_reviews'>[];
}

async function detailsOf(repository: GiteaRepository, listed: JsonObject): Promise<RequestRecords> {
  const { client, path } = repository;
  const number = readInteger(listed['number'], 'number');
  const request = readObject(await client.get(`${path}/pulls/${number}`), 'request');
  const reviews = (await client.all(`${path}/pulls/${number}/reviews`)).flatMap((review) => reviewRow(number, review));
  const commits = await commitsOf(repository, number);
  return { row: requestRow(request, reviews, commits), reviews };
}

/** The commits of a request, oldest first; none if the server has lost the branch. */
async function commitsOf({ client, path }: GiteaRepository, number: number): Promise<readonly JsonObject[]> {
  try {
    const query = { files: 'false', verification: 'false' };
    return await client.all(`${path}/pulls/${number}/commits`, { query });
  } catch (error) {
    if (error instanceof SyncError && error.code === 'not_found') return [];
    throw error;
  }
}

function reviewRow(number: number, review: JsonObject): Row<'git_pull_request_reviews'>[] {
  const state = STATES.get(review['state']);
  if (state === undefined) return [];
  return [
    {
      number,
      review_id: readId(review['id'], 'review.id'),
      reviewer: loginIn(review, 'user') ?? 'ghost',
      state: review['dismissed'] === true ? 'DISMISSED' : state,
      submitted_at: readInstant(review['submitted_at'], 'submitted_at'),
    },
  ];
}

function requestRow(
  request: JsonObject,
  reviews: RequestRecords['reviews'],
  commits: readonly JsonObject[],
): Row<'git_pull_requests'> {
  const isMerged = request['merged'] === true;
  const head = readObject(request['head'], 'head');
  const authored = commits.map((commit) => {
    const { author } = readObject(commit['commit'], 'commit.commit');
    return readInstant(readObject(author, 'commit.author')['date'], 'author.date');
  });
  const submitted = reviews.map((review) => review.submitted_at);
  return {
    number: readInteger(request['number'], 'number'),
    title: readText(request['title'], 'title'),
    body: readTextOrNull(request['body'], 'body') || null,
    state: isMerged ? 'merged' : readText(request['state'], 'state'),
    author_name: loginIn(request, 'user'),
    author_email: null,
    created_at: readInstant(request['created_at'], 'created_at'),
    updated_at: readInstant(request['updated_at'], 'updated_at'),
    merged_at: readInstantOrNull(request['merged_at'], 'merged_at'),
    closed_at: readInstantOrNull(request['closed_at'], 'closed_at'),
    head_branch: readTextOrNull(head['label'], 'head.label'),
    base_branch: readTextOrNull(readObject(request['base'], 'base')['ref'], 'base.ref'),
    head_hash: readTextOrNull(head['sha'], 'head.sha') || null,
    merge_hash: isMerged ? readTextOrNull(request['merge_commit_sha'], 'merge_commit_sha') : null,
    commit_hashes: commits.map((commit) => readText(commit['sha'], 'commit.sha')),
    labels: readList(request['labels'] ?? [], 'labels').map(labelName),
    additions: readIntegerOrNull(request['additions'], 'additions'),
    deletions: readIntegerOrNull(request['deletions'], 'deletions'),
    changed_files: readIntegerOrNull(request['changed_files'], 'changed_files'),
    first_commit_at: authored.length === 0 ? null : Math.min(...authored),
    first_review_at: submitted.length === 0 ? null : Math.min(...submitted),
    first_comment_at: null,
    changes_requested_count: reviews.filter(({ state }) => state === 'CHANGES_REQUESTED').length,
    reviews_count: reviews.length,
    comments_count: readInteger(request['comments'], 'comments'),
    evidence: null,
    notes_read: null,
  };
}

export function labelName(label: unknown): string {
  return readText(readObject(label, 'label')['name'], 'label.name');
}
