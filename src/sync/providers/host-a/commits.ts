/** `sync git` from host_a: the most recent commits of the default branch, the last ones with statistics per file. */
import type { Row } from '../../records.js';
import type { SyncRequest } from '../../sync-request.js';
import { isUnanswered, SyncError } from '../../failures.js';
import type { TimeWindow } from '../../time-window.js';
import {
  commitRangePages,
  pageOf,
  type CommitRange,
  type CommitSource,
  type ListedCommitsPage,
} from '../commit-ranges.js';
import { mapInOrder } from '../map-in-order.js';
import { EMPTY_REPOSITORY, ListedCommits } from '../listed-commits.js';
import { readNumberedPage } from '../numbered-pages.js';
import { noChanges } from '../no-changes.js';
import type { Page, PartialReach, Reach, Reachable, Start } from '../provider.js';
import {
  readInstantOrNull,
  readIntegerOrNull,
  readList,
  readObject,
  readObjectOrNull,
  readText,
  readTextOrNull,
} from '../read.js';
import type { HostARepository } from './repository.js';
import { numberedList } from './rest-pages.js';

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
  const head = await headOf(repository);
  if (head === undefined) {
    yield { records: {}, position: null, done: true };
    return;
  }
  const unreadable = { commits: 0, files: 0 };
  const source: CommitSource = {
    list: (range) => listCommits(repository, range, request),
    records: async (commits, stats) => {
      const rows = commits.map(commitRow);
      unreadable.commits += rows.filter((row) => row === undefined).length;
      const known = rows
        .filter((row) => row !== undefined)
        .filter((row) => isWithin(request.window, row.committer_when));
      const files: Row<'git_commit_stats'>[] = [];
      const withFiles = new Set(rows.slice(0, stats));
      const read = known.filter((row) => withFiles.has(row));
      for await (const found of mapInOrder(read, AT_ONCE, ({ hash }) => statsOrSkip(repository, hash))) {
        if (found === undefined) unreadable.files += 1;
        else files.push(...found);
      }
      return { git_commits: known, git_commit_stats: files };
    },
    storedAtOnce: STORED_AT_ONCE,
    note: () => noteOnUnreadable(unreadable),
  };
  yield* commitRangePages(source, head, request, start);
}

function isWithin({ since = -Infinity, until = Infinity }: TimeWindow, time: number): boolean {
  return time >= since && time < until;
}

function noteOnUnreadable({ commits, files }: { readonly commits: number; readonly files: number }): string | null {
  const counted = (count: number): string => (count === 1 ? '1 commit' : `${count} commits`);
  const parts = [
    ...(commits === 0 ? [] : [`skipped ${counted(commits)} without a date`]),
    ...(files === 0 ? [] : [`the changed files of ${counted(files)} are unknown, because the host cannot answer them`]),
  ];
  return parts.length === 0 ? null : parts.join('; ');
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

/** A range with a base is a comparison. The host no longer knows a base that a rewritten history left behind. */
async function listCommits(
  repository: HostARepository,
  range: CommitRange,
  { window }: SyncRequest,
): Promise<ListedCommitsPage | undefined> {
  const { client, owner, repo } = repository;
  const { head, base } = range;
  const list = numberedList(repository, async (page) => {
    if (base !== null) {
      const basehead = `${base}...${head}`;
      const { data, hasNext } = await client.rest('GET /repos/{owner}/{repo}/compare/{basehead}', {
        owner,
        repo,
        basehead,
        ...page,
      });
      return { items: readList(readObject(data, 'comparison')['commits'], 'commits'), hasNext };
    }
    const { data, hasNext } = await client.rest('GET /repos/{owner}/{repo}/commits', {
      owner,
      repo,
      sha: head,
      ...page,
      ...(window.since === undefined ? {} : { since: new Date(window.since).toISOString() }),
      ...(window.until === undefined ? {} : { until: new Date(window.until - 1).toISOString() }),
    });
    return { items: readList(data, 'commits'), hasNext };
  });
  try {
    return await readNumberedPage(list, pageOf(range));
  } catch (error) {
    if (base !== null && error instanceof SyncError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/**
 * The host has no author or no committer of some commits; the other one's date is then taken. Undefined if neither has a
 * date.
 */
function commitRow(value: unknown): Row<'git_commits'> | undefined {
  const item = readObject(value, 'commit');
  const commit = readObject(item['commit'], 'commit.commit');
  const author = readObjectOrNull(commit['author'], 'commit.author');
  const committer = readObjectOrNull(commit['committer'], 'commit.committer') ?? author;
  const authored = readInstantOrNull(author?.['date'], 'author.date');
  const committed = readInstantOrNull(committer?.['date'], 'committer.date') ?? authored;
  if (committed === null) return undefined;
  return {
    hash: readText(item['sha'], 'sha'),
    message: readText(commit['message'], 'message').replace(/\n+$/, ''),
    author_name: readTextOrNull(author?.['name'], 'author.name'),
    author_email: readTextOrNull(author?.['email'], 'author.email'),
    author_when: authored ?? committed,
    committer_name: readTextOrNull(committer?.['name'], 'committer.name'),
    committer_email: readTextOrNull(committer?.['email'], 'committer.email'),
    committer_when: committed,
    parents: readList(item['parents'], 'parents').length,
  };
}

/** Undefined for a commit whose files the host cannot answer, although it answers other requests. */
async function statsOrSkip(repository: HostARepository, hash: string): Promise<Row<'git_commit_stats'>[] | undefined> {
  try {
    return await commitStats(repository, hash);
  } catch (error) {
    const isOfCommit = isUnanswered(error) || (error instanceof SyncError && error.status === 422);
    if (!isOfCommit) throw error;
    await headOf(repository);
    return undefined;
  }
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
