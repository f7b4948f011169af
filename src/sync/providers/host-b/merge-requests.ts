/** `sync prs` from host_b: merge requests. The list has no reviews and no sizes, each of which would cost a request. */
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

export function mergeRequestListing({ gitlab, id }: HostBProject, window: TimeWindow): Listing<JsonObject> {
  return {
    most: Infinity,
    window,
    fetch: async (cursor) => {
      const options = { projectId: id, scope: 'all', state: 'all', orderBy: 'updated_at', sort: 'desc' };
      const { items, next } = readPage(await gitlab.MergeRequests.all({ ...options, ...onePage(pageNumber(cursor)) }));
      return { items: items.map((item) => readObject(item, 'merge request')), next };
    },
    sortedBy: (request) => readInstant(request['updated_at'], 'updated_at'),
    records: (requests) => ({ git_pull_requests: requests.map(requestRow) }),
  };
}

function requestRow(request: JsonObject): Row<'git_pull_requests'> {
  const state = readText(request['state'], 'state');
  const mergedAt = readInstantOrNull(request['merged_at'], 'merged_at');
  const head = readTextOrNull(request['sha'], 'sha');
  const squash = readTextOrNull(request['squash_commit_sha'], 'squash_commit_sha');
  const merge = readTextOrNull(request['merge_commit_sha'], 'merge_commit_sha') ?? squash;
  return {
    number: readInteger(request['iid'], 'iid'),
    title: readText(request['title'], 'title'),
    body: readTextOrNull(request['description'], 'description') || null,
    // `locked` is a short moment before a merge.
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
    commit_hashes: [...new Set([head, squash].filter((hash) => hash !== null))],
    labels: readList(request['labels'] ?? [], 'labels').map((label) => readText(label, 'label')),
    additions: null,
    deletions: null,
    changed_files: null,
    first_review_at: null,
    first_comment_at: null,
    changes_requested_count: 0,
    reviews_count: 0,
    comments_count: readIntegerOrNull(request['user_notes_count'], 'user_notes_count') ?? 0,
  };
}
