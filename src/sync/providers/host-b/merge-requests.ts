/** `sync prs` from host_b: merge requests. The list has neither commits, sizes nor reviews: separate queries do. */
import type { Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import type { Listing } from '../newest-first.js';
import { pageNumber } from '../page-number.js';
import {
  readInstant,
  readInstantOrNull,
  readInteger,
  readIntegerOrNull,
  readList,
  readObject,
  readObjectOrNull,
  readText,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import { onePage, readPage } from './client.js';
import type { HostBProject } from './project.js';
import { requestDetails, type RequestDetails } from './request-details.js';
import { requestNotes, type Note } from './request-notes.js';
import { reviewsOf } from './reviews.js';

export function mergeRequestListing(project: HostBProject, window: TimeWindow): Listing<JsonObject> {
  const { gitlab, id } = project;
  let unknown = 0;
  return {
    most: Infinity,
    window,
    fetch: async (cursor) => {
      const options = { projectId: id, scope: 'all', state: 'all', orderBy: 'updated_at', sort: 'desc' };
      const { items, next } = readPage(await gitlab.MergeRequests.all({ ...options, ...onePage(pageNumber(cursor)) }));
      return { items: items.map((item) => readObject(item, 'merge request')), next };
    },
    sortedBy: (request) => readInstant(request['updated_at'], 'updated_at'),
    records: async (requests) => {
      const numbers = requests.map(numberOf);
      const [details, notes] = [await requestDetails(project, numbers), await requestNotes(project, numbers)];
      const read = requests.map((request): ReadRequest => {
        const number = numberOf(request);
        return { request, details: details(number), notes: notes(number) };
      });
      unknown += read.filter((each) => each.notes === null).length;
      return {
        git_pull_requests: read.map(requestRow),
        git_pull_request_reviews: read.flatMap(reviewRows),
      };
    },
    note: () => (unknown === 0 ? null : noteOnUnknown(unknown)),
  };
}

function noteOnUnknown(count: number): string {
  const [requests, their] = count === 1 ? ['1 merge request', 'its'] : [`${count} merge requests`, 'their'];
  return `the reviews of ${requests} are unknown, because the host does not show ${their} notes`;
}

/** A merge request of the list with what separate queries read. */
interface ReadRequest {
  readonly request: JsonObject;
  readonly details: RequestDetails;
  readonly notes: readonly Note[] | null;
}

function reviewRows({ request, notes }: ReadRequest): Row<'git_pull_request_reviews'>[] {
  return reviewsOf(notes ?? []).map((review) => ({ number: numberOf(request), ...review }));
}

function numberOf(request: JsonObject): number {
  return readInteger(request['iid'], 'iid');
}

function requestRow(read: ReadRequest): Row<'git_pull_requests'> {
  const { request, details, notes } = read;
  const reviews = reviewRows(read);
  const state = readText(request['state'], 'state');
  const mergedAt = readInstantOrNull(request['merged_at'], 'merged_at');
  const head = readTextOrNull(request['sha'], 'sha');
  const squash = readTextOrNull(request['squash_commit_sha'], 'squash_commit_sha');
  const merge = readTextOrNull(request['merge_commit_sha'], 'merge_commit_sha') ?? squash;
  return {
    number: numberOf(request),
    title: readText(request['title'], 'title'),
    body: readTextOrNull(request['description'], 'description') || null,
    // `locked` is a short-lived state before a merge.
    state: state === 'merged' ? 'merged' : state === 'closed' ? 'closed' : 'open',
    author_name: readTextOrNull(readObjectOrNull(request['author'], 'author')?.['username'], 'author.username'),
    author_email: null,
    created_at: readInstant(request['created_at'], 'created_at'),
    updated_at: readInstant(request['updated_at'], 'updated_at'),
    merged_at: mergedAt,
    closed_at: readInstantOrNull(request['closed_at'], 'closed_at') ?? mergedAt,
    head_branch: readTextOrNull(request['source_branch'], 'source_branch'),
    base_branch: readTextOrNull(request['target_branch'], 'target_branch'),
    head_hash: head,
    merge_hash: merge,
    commit_hashes: [...new Set([...details.commits, head, squash].filter((hash) => hash !== null))],
    labels: readList(request['labels'] ?? [], 'labels').map((label) => readText(label, 'label')),
    additions: details.additions,
    deletions: details.deletions,
    changed_files: details.changedFiles,
    first_commit_at: details.firstCommitAt,
    first_review_at: earliest(reviews.map(({ submitted_at }) => submitted_at)),
    first_comment_at: earliest((notes ?? []).filter(({ kind }) => kind === 'comment').map(({ at }) => at)),
    changes_requested_count: reviews.filter(({ state }) => state === 'CHANGES_REQUESTED').length,
    reviews_count: reviews.length,
    comments_count: readIntegerOrNull(request['user_notes_count'], 'user_notes_count') ?? 0,
    evidence: null,
    notes_read: notes?.length ?? null,
  };
}

function earliest(times: readonly number[]): number | null {
  return times.length === 0 ? null : Math.min(...times);
}
