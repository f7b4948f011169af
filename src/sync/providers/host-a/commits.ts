/** `sync git` from host_a: the most recent commits of the default branch, the last ones with statistics per file. */
import type { JsonValue, Row } from '../../records.js';
import type { SyncRequest } from '../../request.js';
import { SyncError } from '../../failures.js';
import { noteOfLimits, remoteLimits } from '../limits.js';
import { mapInOrder } from '../map-in-order.js';
import { EMPTY_REPOSITORY, ListedCommits } from '../listed-commits.js';
import { noChanges } from '../no-changes.js';
import type { Page, PartialReach, Reach, Reachable, Start } from '../provider.js';
import {
  readInstant,
  readIntegerOrNull,
  readList,
  readObject,
  readObjectOrNull,
  readText,
  readTextOrNull,
} from '../read.js';
import type { HostARepository } from './repository.js';

interface Position {
  /** The commit from which the history is read. Pages of a branch would shift when new commits arrive. */
  readonly head: string;
  readonly count: number;
}

const PER_PAGE = 100;
/** Commits per page. Statistics cost a request per commit, so small pages limit what an interruption repeats. */
const STORED_AT_ONCE = 25;
/** Concurrent requests for statistics. */
const AT_ONCE = 4;
/** The host lists at most this many files of a commit on one page, and 3,000 in all. */
const FILES_PER_PAGE = 300;
const MOST_FILES = 3000;

export async function* commitPages(
  repository: HostARepository,
  request: SyncRequest,
  start: Start,
): AsyncGenerator<Page> {
  const limits = remoteLimits(request);
  const head = await headOf(repository);
  if (head === undefined) {
    yield { records: {}, position: null, done: true };
    return;
  }
  const earlier = parsePosition(start?.position ?? null);
  if (start?.done === true && earlier?.head === head) {
    yield { records: {}, position: { head, count: 0 }, done: true };
    return;
  }
  let position: Position = start?.done === false && earlier !== undefined ? earlier : { head, count: 0 };
  let isCut = false;
  for (let more = true; more && position.count < limits.commits;) {
    const list = await listCommits(repository, position, request);
    more = list.hasNext;
    const commits = list.commits.slice(0, limits.commits - position.count);
    isCut = more || commits.length < list.commits.length;
    for (let index = 0; index < commits.length; index += STORED_AT_ONCE) {
      const batch = commits.slice(index, index + STORED_AT_ONCE);
      const withStats = batch.slice(0, Math.max(0, limits.stats - position.count));
      const stats: Row<'git_commit_stats'>[] = [];
      for await (const rows of mapInOrder(withStats, AT_ONCE, ({ hash }) => commitStats(repository, hash)))
        stats.push(...rows);
      position = { ...position, count: position.count + batch.length };
      yield { records: { git_commits: batch, git_commit_stats: stats }, position: { ...position }, done: false };
    }
  }
  const note = noteOfLimits(limits, position.count, isCut);
  yield { records: {}, position: { head: position.head, count: 0 }, done: true, ...note };
}

/** What the default branch reaches. */
export async function reachOf(repository: HostARepository): Promise<Reach | PartialReach> {
  const head = await headOf(repository);
  if (head === undefined) return { partial: EMPTY_REPOSITORY };
  return { refs: head, branch: repository.defaultBranch, list: () => listFrom(repository, head) };
}

/** A request for each 100 commits. */
async function listFrom({ client, owner, repo }: HostARepository, head: string): Promise<Reachable | PartialReach> {
  const listed = new ListedCommits();
  for (let page = 1, more = true; more; page += 1) {
    const options = { owner, repo, sha: head, per_page: PER_PAGE, page };
    const { data, hasNext } = await client.rest('GET /repos/{owner}/{repo}/commits', options);
    for (const value of readList(data, 'commits')) {
      const commit = readObject(value, 'commit');
      const parents = readList(commit['parents'], 'parents').map((parent) => readObject(parent, 'parent')['sha']);
      listed.add(
        readText(commit['sha'], 'sha'),
        parents.map((sha) => readText(sha, 'sha')),
      );
    }
    more = hasNext;
  }
  return listed.reachable(head);
}

/** The commit at the tip of the default branch; undefined if the repository is empty (409 or an empty list). */
async function headOf({ client, owner, repo, defaultBranch }: HostARepository): Promise<string | undefined> {
  try {
    const { data } = await client.rest('GET /repos/{owner}/{repo}/commits', {
      owner,
      repo,
      sha: defaultBranch,
      per_page: 1,
    });
    const [first] = readList(data, 'commits');
    return first === undefined ? undefined : readText(readObject(first, 'commit')['sha'], 'sha');
  } catch (error) {
    if (error instanceof SyncError && error.status === 409) return undefined;
    throw error;
  }
}

async function listCommits(
  { client, owner, repo }: HostARepository,
  position: Position,
  { window }: SyncRequest,
): Promise<{ commits: Row<'git_commits'>[]; hasNext: boolean }> {
  const skip = position.count % PER_PAGE;
  const { data, hasNext } = await client.rest('GET /repos/{owner}/{repo}/commits', {
    owner,
    repo,
    sha: position.head,
    per_page: PER_PAGE,
    page: Math.floor(position.count / PER_PAGE) + 1,
    ...(window.since === undefined ? {} : { since: new Date(window.since).toISOString() }),
    ...(window.until === undefined ? {} : { until: new Date(window.until - 1).toISOString() }),
  });
  return { commits: readList(data, 'commits').slice(skip).map(commitRow), hasNext };
}

function commitRow(value: unknown): Row<'git_commits'> {
  const item = readObject(value, 'commit');
  const commit = readObject(item['commit'], 'commit.commit');
  const author = readObjectOrNull(commit['author'], 'commit.author');
  const committer = readObjectOrNull(commit['committer'], 'commit.committer') ?? author;
  return {
    hash: readText(item['sha'], 'sha'),
    message: readText(commit['message'], 'message').replace(/\n+$/, ''),
    author_name: readTextOrNull(author?.['name'], 'author.name'),
    author_email: readTextOrNull(author?.['email'], 'author.email'),
    author_when: readInstant(author?.['date'], 'author.date'),
    committer_name: readTextOrNull(committer?.['name'], 'committer.name'),
    committer_email: readTextOrNull(committer?.['email'], 'committer.email'),
    committer_when: readInstant(committer?.['date'], 'committer.date'),
    parents: readList(item['parents'], 'parents').length,
  };
}

async function commitStats({ client, owner, repo }: HostARepository, hash: string): Promise<Row<'git_commit_stats'>[]> {
  const rows: Row<'git_commit_stats'>[] = [];
  for (let page = 1; ; page += 1) {
    const { data, hasNext } = await client.rest('GET /repos/{owner}/{repo}/commits/{ref}', {
      owner,
      repo,
      ref: hash,
      page,
      per_page: FILES_PER_PAGE,
    });
    const commit = readObject(data, 'commit');
    // The changes of a merge are counted with the commits that it merges, as in git log.
    if (readList(commit['parents'], 'parents').length > 1) return [];
    for (const file of readList(commit['files'] ?? [], 'files')) rows.push(fileRow(hash, file));
    if (!hasNext && rows.length === 0 && Array.isArray(commit['files'])) return [noChanges(hash)];
    if (!hasNext || page * FILES_PER_PAGE >= MOST_FILES) return rows;
  }
}

function fileRow(hash: string, value: unknown): Row<'git_commit_stats'> {
  const file = readObject(value, 'file');
  return {
    commit_hash: hash,
    file_path: readText(file['filename'], 'filename'),
    old_path: readTextOrNull(file['previous_filename'], 'previous_filename'),
    additions: readIntegerOrNull(file['additions'], 'additions'),
    deletions: readIntegerOrNull(file['deletions'], 'deletions'),
    old_file_mode: null,
    new_file_mode: null,
  };
}

function parsePosition(value: JsonValue): Position | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { head, count } = value as Record<string, JsonValue | undefined>;
  return typeof head === 'string' && typeof count === 'number' ? { head, count } : undefined;
}
