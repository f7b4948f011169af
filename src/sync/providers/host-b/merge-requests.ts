/** `sync prs` from host_b: merge requests. The list has neither commits, sizes nor reviews: separate queries do. */
import type { Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import type { Listing } from '../newest-first.js';
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
import { byUpdate } from './events.js';
import type { HostBProject } from './project.js';
import { requestDetails, type RequestDetails } from './request-details.js';
import { requestNotes, type Note } from './request-notes.js';
import { reviewsOf } from './reviews.js';

export function mergeRequestListing(project: HostBProject, window: TimeWindow): Listing<JsonObject> {
  const { gitlab, id } = project;
  const [readDetails, readNotes] = [requestDetails(project), requestNotes(project)];
  /** Numbers of merge requests, for the note. */
  const without = { notes: new Set<number>(), details: new Set<number>(), answer: new Set<number>() };
  let incomplete: number[] = [];
  const list = { projectId: id, scope: 'all', state: 'all' };
  return {
    ...byUpdate(project, window, (options) => gitlab.MergeRequests.all({ ...list, ...options })),
    most: Infinity,
    records: async (requests) => {
      const numbers = requests.map(numberOf);
      const [details, notes] = [await readDetails(numbers), await readNotes(numbers)];
      const read = requests.map((request): ReadRequest => {
        const number = numberOf(request);
        return { request, details: details.found.get(number), notes: notes.found.get(number) ?? null };
      });
      const late = new Set([...details.unanswered, ...notes.unanswered]);
      for (const { request, ...known } of read) {
        const number = numberOf(request);
        mark(without.details, number, known.details === undefined);
        mark(without.notes, number, known.notes === null);
        mark(without.answer, number, late.has(number));
      }
      incomplete.push(...late);
      return {
        git_pull_requests: read.map(requestRow),
        git_pull_request_reviews: read.flatMap(reviewRows),
      };
    },
    incomplete: {
      take: () => {
        const numbers = incomplete;
        incomplete = [];
        return numbers;
      },
      fetch: async (numbers) => {
        const found = readPage(await gitlab.MergeRequests.all({ ...list, iids: numbers, ...onePage(1) }));
        return found.items.map((item) => readObject(item, 'merge request'));
      },
    },
    note: () => {
      const parts = [
        ...unknown('reviews', without.notes.size, 'notes'),
        ...unknown('sizes and commits', without.details.size, 'details'),
        ...(without.answer.size === 0
          ? []
          : [`the next sync reads ${without.answer.size} of them again, because the host did not answer in time`]),
      ];
      return parts.length === 0 ? null : parts.join('; ');
    },
  };
}

function mark(numbers: Set<number>, number: number, isMember: boolean): void {
  if (isMember) numbers.add(number);
  else numbers.delete(number);
}

function unknown(what: string, count: number, hidden: string): readonly string[] {
  if (count === 0) return [];
  const [requests, their] = count === 1 ? ['1 merge request', 'its'] : [`${count} merge requests`, 'their'];
  return [`the ${what} of ${requests} are unknown, because the host does not show ${their} ${hidden}`];
}

/** A merge request of the list with what separate queries read. */
interface ReadRequest {
  readonly request: JsonObject;
  /** Undefined if the host did not answer or show them. */
  readonly details: RequestDetails | undefined;
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
    commit_hashes: [...new Set([...(details?.commits ?? []), head, squash].filter((hash) => hash !== null))],
    labels: readList(request['labels'] ?? [], 'labels').map((label) => readText(label, 'label')),
    additions: details?.additions ?? null,
    deletions: details?.deletions ?? null,
    changed_files: details?.changedFiles ?? null,
    first_commit_at: details?.firstCommitAt ?? null,
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
