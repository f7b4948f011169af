/**
 * `sync prs` of a clone: pull and merge requests, inferred from commits and fetched refs. Merged requests come from the
 * hosts' messages of merges and squashes. Open requests come from `refs/pull/<n>/head` and
 * `refs/merge-requests/<n>/head`, if these were fetched. A host has more data, so these rows never replace a host's.
 *
 * The number of git processes does not depend on the number of requests: one finds the commits that end requests, one
 * reads their changes, and one reads the history, which contains the commits of each merge.
 */
import type { JsonValue, Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import type { Page, Start } from '../provider.js';
import { readCommitGraph, type CommitGraph, type GraphCommit } from './commit-graph.js';
import { countedRequests, type Counted, type Ending } from './counted-requests.js';
import type { Git } from './git.js';
import { askGit, streamGit } from './git.js';
import { headOf, windowArguments } from './history.js';
import { isHash } from './history-position.js';
import { endedRequest, parseRequestLog, REQUEST_LOG, type EndedRequest } from './request-messages.js';
import { openRequests } from './request-refs.js';

interface Options {
  readonly window: TimeWindow;
  readonly pageSize: number;
}

interface Position {
  readonly tip: string;
  readonly exclude: string | null;
  /** The number of requests stored so far. */
  readonly count: number;
  /** Increase it when this code detects more requests; all requests are then read again. */
  readonly version: number;
}

const VERSION = 3;

/** Maximum number of commits listed per request. */
const MOST_COMMITS = 1000;

/** The pages of the requests of a clone: merged ones newest first, then the open ones. */
export async function* pullRequestPages(git: Git, options: Options, start: Start): AsyncGenerator<Page> {
  const tip = await headOf(git);
  if (tip === undefined) {
    yield { records: {}, position: null, done: true };
    return;
  }
  let position = await beginning(git, tip, start);
  const found = await requestsToRead(git, position, options.window);
  let rows: Row<'git_pull_requests'>[] = [];
  for await (const row of requestRows(git, position.tip, found.slice(position.count))) {
    position = { ...position, count: position.count + 1 };
    rows.push(row);
    if (rows.length < options.pageSize) continue;
    yield { records: { git_pull_requests: rows }, position: { ...position }, done: false };
    rows = [];
  }
  yield { records: { git_pull_requests: rows }, position: { ...position }, done: false };
  const open = await openRequests(git, tip);
  const ended = new Set(open.length === 0 ? [] : (await endings(git, [tip])).map(({ number }) => number));
  const stillOpen = open.filter((row) => !ended.has(row.number));
  for (let index = 0; index < stillOpen.length; index += options.pageSize) {
    const page = stillOpen.slice(index, index + options.pageSize);
    yield { records: { git_pull_requests: page }, position: { ...position }, done: false };
  }
  yield { records: {}, position: { tip, exclude: null, count: 0, version: VERSION }, done: true };
}

/** The requests that this sync has to store, newest first. */
async function requestsToRead(git: Git, { tip, exclude }: Position, window: TimeWindow): Promise<readonly Counted[]> {
  const args = [...windowArguments(git, window), tip, ...(exclude === null ? [] : [`^${exclude}`])];
  const arrived = await endings(git, args);
  if (arrived.length === 0) return [];
  // Which requests have one number, and which commit counts for each, depends on the whole history.
  const isPart = args.length > 1;
  const all = isPart ? await endings(git, [tip]) : arrived;
  const hashes = new Set(arrived.map(({ hash }) => hash));
  if (exclude === null) return countedRequests(all).filter(({ hash }) => hashes.has(hash));
  const before = countedRequests(all.filter(({ hash }) => !hashes.has(hash)));
  const known = new Map(before.map(({ number, hash }) => [number, hash]));
  return countedRequests(all).filter(({ number, hash }) => known.get(number) !== hash);
}

/** The commits of a log that end requests, in the log's order. */
async function endings(git: Git, args: readonly string[]): Promise<readonly Ending[]> {
  const found: Ending[] = [];
  for await (const commit of parseRequestLog(streamGit(git, [...REQUEST_LOG, '--no-patch', ...args, '--']))) {
    const request = endedRequest(commit);
    if (request === undefined) continue;
    const { number, origin, evidence } = request;
    found.push({ hash: commit.hash, number, origin, evidence });
  }
  return found;
}

async function beginning(git: Git, tip: string, start: Start): Promise<Position> {
  const fresh: Position = { tip, exclude: null, count: 0, version: VERSION };
  const earlier = start === undefined ? undefined : parsePosition(start.position);
  for (const hash of [earlier?.tip, earlier?.exclude ?? earlier?.tip])
    if (hash === undefined || (await askGit(git, ['cat-file', '-e', `${hash}^{commit}`])) === undefined) return fresh;
  if (earlier === undefined) return fresh;
  return start?.done === true ? { ...fresh, exclude: earlier.tip } : earlier;
}

/** The rows of these requests, in the same order, with the size of their changes. */
async function* requestRows(
  git: Git,
  tip: string,
  counted: readonly Counted[],
): AsyncGenerator<Row<'git_pull_requests'>> {
  if (counted.length === 0) return;
  const args = ['--diff-merges=first-parent', '--raw', '--numstat', '--no-ext-diff', '--no-textconv'];
  const log = streamGit(git, [...REQUEST_LOG, ...args, '--no-walk=unsorted', '--stdin'], {
    input: counted.map(({ hash }) => `${hash}\n`).join(''),
  });
  const numbers = new Map(counted.map(({ hash, number }) => [hash, number]));
  let graph: CommitGraph | undefined;
  for await (const commit of parseRequestLog(log)) {
    const request = endedRequest(commit);
    if (request === undefined) continue;
    if (commit.parents.length > 1) graph ??= await readCommitGraph(git, tip);
    yield { ...asRow(request, graph), number: numbers.get(commit.hash) ?? request.number };
  }
}

function asRow(request: EndedRequest, graph: CommitGraph | undefined): Row<'git_pull_requests'> {
  const { commit } = request;
  const [base = '', ...heads] = commit.parents;
  const commits = heads.length === 0 ? [itself(request)] : (graph?.broughtIn(heads, base, MOST_COMMITS) ?? []);
  const author = commits[0] ?? commit;
  return {
    number: request.number,
    title: request.title,
    body: request.body,
    state: 'merged',
    author_name: author.authorName,
    author_email: author.authorEmail,
    created_at: commits.reduce((earliest, { when }) => Math.min(earliest, when), commit.committerWhen),
    updated_at: commit.committerWhen,
    merged_at: commit.committerWhen,
    closed_at: commit.committerWhen,
    head_branch: request.headBranch,
    base_branch: request.baseBranch,
    head_hash: heads[0] ?? null,
    merge_hash: commit.hash,
    commit_hashes: commits.map(({ hash }) => hash),
    labels: [],
    additions: commit.additions,
    deletions: commit.deletions,
    changed_files: commit.changedFiles,
    first_commit_at: null,
    first_review_at: null,
    first_comment_at: null,
    changes_requested_count: 0,
    reviews_count: 0,
    comments_count: 0,
    evidence: request.evidence,
    notes_read: null,
  };
}

/** A clone has only the squash commit of a squashed request. */
function itself({ commit }: EndedRequest): GraphCommit {
  return { ...commit, when: commit.authorWhen };
}

function parsePosition(value: JsonValue): Position | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { tip, exclude, count, version } = value as Record<string, JsonValue | undefined>;
  if (!isHash(tip) || typeof count !== 'number' || !Number.isSafeInteger(count) || version !== VERSION)
    return undefined;
  return { tip, exclude: isHash(exclude) ? exclude : null, count, version };
}
