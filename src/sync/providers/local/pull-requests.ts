/**
 * `sync prs` of a clone: pull and merge requests, inferred from commits and fetched refs. Merged requests come from the
 * hosts' messages of merges and squashes. Open requests come from `refs/pull/<n>/head` and
 * `refs/merge-requests/<n>/head`, if these were fetched. A host has more data, so these rows never replace a host's.
 *
 * The number of git processes does not depend on the number of requests: one finds the commits that end requests, one
 * reads their changes, and one reads the history, which contains the commits of each merge.
 */
import type { JsonValue, RequestEvidence, Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import type { Page, Start } from '../provider.js';
import { readCommitGraph, type CommitGraph, type GraphCommit } from './commit-graph.js';
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

const VERSION = 2;

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
  const ended = open.length === 0 ? new Map<number, Ending>() : await endings(git, [tip]);
  const stillOpen = open.filter((row) => !ended.has(row.number));
  for (let index = 0; index < stillOpen.length; index += options.pageSize) {
    const page = stillOpen.slice(index, index + options.pageSize);
    yield { records: { git_pull_requests: page }, position: { ...position }, done: false };
  }
  yield { records: {}, position: { tip, exclude: null, count: 0, version: VERSION }, done: true };
}

/** A commit that ends a request. */
interface Ending {
  readonly hash: string;
  readonly evidence: RequestEvidence;
}

/**
 * From the weakest to the strongest evidence. If several commits name a request, the strongest one counts; of equal
 * ones, the newest.
 */
const BY_STRENGTH: readonly RequestEvidence[] = ['ref', 'title', 'squash', 'trailer', 'merge'];

function isStronger(one: Ending, other: Ending): boolean {
  return BY_STRENGTH.indexOf(one.evidence) > BY_STRENGTH.indexOf(other.evidence);
}

/** The commits that end the requests of this sync, newest first. */
async function requestsToRead(git: Git, position: Position, window: TimeWindow): Promise<readonly string[]> {
  const { tip, exclude } = position;
  const found = await endings(git, [
    ...windowArguments(git, window),
    tip,
    ...(exclude === null ? [] : [`^${exclude}`]),
  ]);
  if (found.size > 0 && exclude !== null) {
    // A commit that mentions an already merged request must not replace the commit that merged it.
    const before = await endings(git, [exclude]);
    for (const [number, ending] of found) {
      const known = before.get(number);
      if (known !== undefined && isStronger(known, ending)) found.delete(number);
    }
  }
  return [...found.values()].map(({ hash }) => hash);
}

/** The commits of a log that end requests, by the number of the request, in the log's order. */
async function endings(git: Git, args: readonly string[]): Promise<Map<number, Ending>> {
  const found = new Map<number, Ending>();
  for await (const commit of parseRequestLog(streamGit(git, [...REQUEST_LOG, '--no-patch', ...args, '--']))) {
    const request = endedRequest(commit);
    if (request === undefined) continue;
    const ending = { hash: commit.hash, evidence: request.evidence };
    const known = found.get(request.number);
    if (known !== undefined && !isStronger(ending, known)) continue;
    // Move it behind the newer ones.
    found.delete(request.number);
    found.set(request.number, ending);
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

/** The requests that these commits end, in the same order, with the size of their changes. */
async function* requestRows(
  git: Git,
  tip: string,
  hashes: readonly string[],
): AsyncGenerator<Row<'git_pull_requests'>> {
  if (hashes.length === 0) return;
  const args = ['--diff-merges=first-parent', '--raw', '--numstat', '--no-ext-diff', '--no-textconv'];
  const log = streamGit(git, [...REQUEST_LOG, ...args, '--no-walk=unsorted', '--stdin'], {
    input: `${hashes.join('\n')}\n`,
  });
  let graph: CommitGraph | undefined;
  for await (const commit of parseRequestLog(log)) {
    const request = endedRequest(commit);
    if (request === undefined) continue;
    if (commit.parents.length > 1) graph ??= await readCommitGraph(git, tip);
    yield asRow(request, graph);
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
