/**
 * `sync prs` of a clone: what merge commits and fetched refs tell about pull and merge requests. Merged ones come from
 * the hosts' merge messages; open ones from `refs/pull/<n>/head` and `refs/merge-requests/<n>/head`, where these were
 * fetched. It is less than a host knows, so these rows never replace a host's.
 */
import type { JsonValue, Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import type { Page, Start } from '../provider.js';
import type { Git } from './git.js';
import { askGit, streamGit } from './git.js';
import { headOf, windowArguments } from './history.js';
import { isHash } from './history-position.js';
import { mapInOrder } from '../map-in-order.js';
import type { MergeCommit, MergedRequest } from './merge-messages.js';
import { MERGE_FORMAT, mergedRequest, parseMergeLog } from './merge-messages.js';
import { openRequests } from './request-refs.js';

interface Options {
  readonly window: TimeWindow;
  readonly pageSize: number;
  readonly workers: number;
}

interface Position {
  readonly tip: string;
  readonly exclude: string | null;
  /** Merge commits read so far. */
  readonly count: number;
}

/** The most commits that are listed for one request. */
const MOST_COMMITS = 1000;

/** The pages of the requests of a clone: merged ones newest first, then the open ones. */
export async function* pullRequestPages(git: Git, options: Options, start: Start): AsyncGenerator<Page> {
  const tip = await headOf(git);
  if (tip === undefined) {
    yield { records: {}, position: null, done: true };
    return;
  }
  let position = await beginning(git, tip, start);
  // Where two merges name one request (it was reverted and merged again), the newer one counts: it comes first.
  const before = [...windowArguments(git, options.window), `--max-count=${position.count}`, ...range(position)];
  const seen = await requestNumbers(git, before);
  const requests = mapInOrder(mergesFrom(git, position, options.window), options.workers, async (merge) => {
    const request = mergedRequest(merge);
    if (request === undefined || seen.has(request.number)) return undefined;
    seen.add(request.number);
    return asRow(git, request);
  });
  let rows: Row<'git_pull_requests'>[] = [];
  for await (const row of requests) {
    position = { ...position, count: position.count + 1 };
    if (row !== undefined) rows.push(row);
    if (rows.length < options.pageSize) continue;
    yield { records: { git_pull_requests: rows }, position: { ...position }, done: false };
    rows = [];
  }
  yield { records: { git_pull_requests: rows }, position: { ...position }, done: false };
  const open = await openRequests(git, tip);
  const merged = open.length === 0 ? new Set<number>() : await requestNumbers(git, [tip]);
  const stillOpen = open.filter((row) => !merged.has(row.number));
  for (let index = 0; index < stillOpen.length; index += options.pageSize) {
    const page = stillOpen.slice(index, index + options.pageSize);
    yield { records: { git_pull_requests: page }, position: { ...position }, done: false };
  }
  yield { records: {}, position: { tip, exclude: null, count: 0 }, done: true };
}

/** The numbers of the requests that the merge commits of a log name. */
async function requestNumbers(git: Git, args: readonly string[]): Promise<Set<number>> {
  const numbers = new Set<number>();
  const options = ['--merges', `--format=${MERGE_FORMAT}`, '--no-patch', '--no-color', '--no-notes'];
  for await (const merge of parseMergeLog(streamGit(git, ['log', '-z', ...options, ...args, '--']))) {
    const request = mergedRequest(merge);
    if (request !== undefined) numbers.add(request.number);
  }
  return numbers;
}

function range(position: Position): string[] {
  return [position.tip, ...(position.exclude === null ? [] : [`^${position.exclude}`])];
}

async function beginning(git: Git, tip: string, start: Start): Promise<Position> {
  const fresh: Position = { tip, exclude: null, count: 0 };
  const earlier = start === undefined ? undefined : parsePosition(start.position);
  if (earlier === undefined || (await askGit(git, ['cat-file', '-e', `${earlier.tip}^{commit}`])) === undefined)
    return fresh;
  return start?.done === true ? { ...fresh, exclude: earlier.tip } : earlier;
}

/** The merge commits, each with the size of what it brought in against its first parent. */
async function* mergesFrom(git: Git, position: Position, window: TimeWindow): AsyncGenerator<MergeCommit> {
  yield* parseMergeLog(
    streamGit(git, [
      'log',
      '-z',
      '--merges',
      `--format=${MERGE_FORMAT}`,
      '--diff-merges=first-parent',
      '--numstat',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--no-notes',
      ...windowArguments(git, window),
      `--skip=${position.count}`,
      ...range(position),
      '--',
    ]),
  );
}

async function asRow(git: Git, request: MergedRequest): Promise<Row<'git_pull_requests'>> {
  const { merge } = request;
  const commits = await branchCommits(git, merge);
  const head = commits[0];
  const first = commits.reduce((earliest, commit) => Math.min(earliest, commit.when), merge.when);
  return {
    number: request.number,
    title: request.title,
    body: request.body,
    state: 'merged',
    author_name: head?.authorName ?? merge.authorName,
    author_email: head?.authorEmail ?? merge.authorEmail,
    created_at: first,
    updated_at: merge.when,
    merged_at: merge.when,
    closed_at: merge.when,
    head_branch: request.headBranch,
    base_branch: request.baseBranch,
    head_hash: merge.parents[1] ?? null,
    merge_hash: merge.hash,
    commit_hashes: commits.map((commit) => commit.hash),
    labels: [],
    additions: merge.additions,
    deletions: merge.deletions,
    changed_files: merge.changedFiles,
    first_review_at: null,
    first_comment_at: null,
    changes_requested_count: 0,
    reviews_count: 0,
    comments_count: 0,
  };
}

interface BranchCommit {
  readonly hash: string;
  readonly when: number;
  readonly authorName: string;
  readonly authorEmail: string;
}

/** The commits that a merge brought in, newest first. */
async function branchCommits(git: Git, merge: MergeCommit): Promise<BranchCommit[]> {
  const [base, ...heads] = merge.parents;
  if (base === undefined || heads.length === 0) return [];
  const text = await askGit(git, [
    'log',
    '-z',
    '--no-merges',
    '--format=%H%x00%at%x00%an%x00%ae',
    `--max-count=${MOST_COMMITS}`,
    ...heads,
    `^${base}`,
    '--',
  ]);
  const fields = (text ?? '').split('\0');
  const commits: BranchCommit[] = [];
  for (let index = 0; index + 3 < fields.length; index += 4) {
    const [hash, when, authorName, authorEmail] = fields.slice(index, index + 4);
    if (hash === undefined || authorName === undefined || authorEmail === undefined) break;
    commits.push({ hash, when: Number(when) * 1000, authorName, authorEmail });
  }
  return commits;
}

function parsePosition(value: JsonValue): Position | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { tip, exclude, count } = value as Record<string, JsonValue | undefined>;
  if (!isHash(tip) || typeof count !== 'number' || !Number.isSafeInteger(count)) return undefined;
  return { tip, exclude: isHash(exclude) ? exclude : null, count };
}
