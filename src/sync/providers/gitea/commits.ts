/**
 * `sync git` from Gitea: the most recent commits of the default branch, the last ones with statistics per file. The API
 * has the sum of the lines of a commit, but not those of each file: they are counted in its diff.
 */
import { storableText } from '../../../database/storable-text.js';
import { isUnanswered, SyncError } from '../../failures.js';
import { AGGREGATE_PATH, type Row } from '../../records.js';
import type { SyncRequest } from '../../sync-request.js';
import { commitRangePages, pageOf, type CommitRange, type ListedCommitsPage } from '../commit-ranges.js';
import { EMPTY_REPOSITORY, ListedCommits } from '../listed-commits.js';
import { mapInOrder } from '../map-in-order.js';
import { noChanges } from '../no-changes.js';
import { readNumberedPage } from '../numbered-pages.js';
import type { Page, PartialReach, Reach, Reachable, Start } from '../provider.js';
import { readInstant, readInteger, readList, readObject, readText, readTextOrNull, type JsonObject } from '../read.js';
import { changedFiles, type ChangedFile } from './diff.js';
import type { GiteaRepository } from './repository.js';

/** What makes the server slow, and is not stored. */
const LEAN = { files: 'false', verification: 'false', stat: 'false' };

/** Commits per stored page, and concurrent requests for statistics: each costs one. */
const STORED_AT_ONCE = 25;
const AT_ONCE = 4;

export async function* commitPages(
  repository: GiteaRepository,
  request: SyncRequest,
  start: Start,
): AsyncGenerator<Page> {
  if (repository.isEmpty) {
    yield { records: {}, position: null, done: true };
    return;
  }
  const source = {
    list: (range: CommitRange) => listCommits(repository, range, request),
    records: async (commits: readonly unknown[], stats: number) => {
      const items = commits.map((commit) => readObject(commit, 'commit'));
      const files: Row<'git_commit_stats'>[] = [];
      for await (const rows of mapInOrder(items.slice(0, stats), AT_ONCE, (item) => statsOf(repository, item))) {
        files.push(...rows);
      }
      return { git_commits: items.map(commitRow), git_commit_stats: files };
    },
    storedAtOnce: STORED_AT_ONCE,
    note: () => null,
  };
  yield* commitRangePages(source, await headOf(repository), request, start);
}

/** The server answers an unknown base, which a rewritten history left behind, with an error: it is asked for first. */
async function listCommits(
  { client, path }: GiteaRepository,
  { head, base, count }: CommitRange,
  { window }: SyncRequest,
): Promise<ListedCommitsPage | undefined> {
  if (base !== null && count === 0 && !(await isKnown({ client, path }, base))) return undefined;
  const query = {
    ...LEAN,
    sha: head,
    ...(base === null ? {} : { not: base }),
    ...(window.since === undefined ? {} : { since: new Date(window.since).toISOString() }),
    ...(window.until === undefined ? {} : { until: new Date(window.until - 1).toISOString() }),
  };
  // The pages of the server are smaller than those of a range.
  const read = async (page: number, perPage: number): ReturnType<Parameters<typeof readNumberedPage>[0]['read']> => {
    const limit = await client.pageSize(perPage);
    const items: JsonObject[] = [];
    for (let number = ((page - 1) * perPage) / limit + 1; ; number += 1) {
      const part = await client.list(`${path}/commits`, number, { query, limit });
      if (part.hasNext && part.items.length !== limit) throw tooFew(path);
      items.push(...part.items);
      if (!part.hasNext || items.length >= perPage) return { items, hasNext: part.hasNext };
    }
  };
  return readNumberedPage({ read, probe: () => client.get(path) }, pageOf({ head, base, count }));
}

/** The limit of commits per page is another setting than that of other lists (`COMMITS_RANGE_SIZE`). */
function tooFew(path: string): SyncError {
  return new SyncError('unexpected_reply', `gitea lists fewer commits of ${path} on a page than it allows.`);
}

async function isKnown({ client, path }: Pick<GiteaRepository, 'client' | 'path'>, hash: string): Promise<boolean> {
  try {
    await client.get(`${path}/git/commits/${hash}?${new URLSearchParams(LEAN).toString()}`);
    return true;
  } catch (error) {
    if (error instanceof SyncError && error.code === 'not_found') return false;
    throw error;
  }
}

/** What the default branch reaches. */
export async function reachOf(repository: GiteaRepository): Promise<Reach | PartialReach> {
  if (repository.isEmpty) return { partial: EMPTY_REPOSITORY };
  const head = await headOf(repository);
  return { refs: head, branch: repository.defaultBranch, list: () => listFrom(repository, head) };
}

async function listFrom({ client, path }: GiteaRepository, head: string): Promise<Reachable | PartialReach> {
  const listed = new ListedCommits();
  const query = { ...LEAN, sha: head };
  for (const commit of await client.all(`${path}/commits`, { query })) {
    listed.add(readText(commit['sha'], 'sha'), parentsOf(commit));
  }
  return listed.reachable(head);
}

/** The commit at the tip of the default branch. */
async function headOf({ client, path, defaultBranch }: GiteaRepository): Promise<string> {
  const branch = readObject(await client.get(`${path}/branches/${encodeURIComponent(defaultBranch)}`), 'branch');
  return readText(readObject(branch['commit'], 'branch.commit')['id'], 'branch.commit.id');
}

function parentsOf(commit: JsonObject): readonly string[] {
  return readList(commit['parents'] ?? [], 'parents').map((parent) =>
    readText(readObject(parent, 'parent')['sha'], 'parent.sha'),
  );
}

function commitRow(item: JsonObject): Row<'git_commits'> {
  const commit = readObject(item['commit'], 'commit.commit');
  const author = readObject(commit['author'], 'commit.author');
  const committer = readObject(commit['committer'], 'commit.committer');
  return {
    hash: readText(item['sha'], 'sha'),
    message: readText(commit['message'], 'message').replace(/\n+$/, ''),
    author_name: readTextOrNull(author['name'], 'author.name'),
    author_email: readTextOrNull(author['email'], 'author.email'),
    author_when: readInstant(author['date'], 'author.date'),
    committer_name: readTextOrNull(committer['name'], 'committer.name'),
    committer_email: readTextOrNull(committer['email'], 'committer.email'),
    committer_when: readInstant(committer['date'], 'committer.date'),
    parents: parentsOf(item).length,
  };
}

/** None for a merge: its changes are counted with the commits that it merges. */
async function statsOf({ client, path }: GiteaRepository, item: JsonObject): Promise<Row<'git_commit_stats'>[]> {
  if (parentsOf(item).length > 1) return [];
  const hash = readText(item['sha'], 'sha');
  const address = `${path}/git/commits/${hash}`;
  try {
    const files = changedFiles(await client.text(`${address}.diff`));
    return files.length === 0 ? [noChanges(hash)] : files.map((file) => statsRow(hash, file));
  } catch (error) {
    if (!isUnanswered(error)) throw error;
  }
  // A diff that is too long: its sum is short.
  const commit = readObject(await client.get(`${address}?files=false&verification=false`), 'commit');
  const stats = readObject(commit['stats'], 'stats');
  const additions = readInteger(stats['additions'], 'additions');
  const deletions = readInteger(stats['deletions'], 'deletions');
  return [statsRow(hash, { path: AGGREGATE_PATH, oldPath: null, additions, deletions })];
}

function statsRow(hash: string, { path, oldPath, additions, deletions }: ChangedFile): Row<'git_commit_stats'> {
  return {
    commit_hash: hash,
    file_path: storableText(path),
    old_path: oldPath === null ? null : storableText(oldPath),
    additions,
    deletions,
    old_file_mode: null,
    new_file_mode: null,
  };
}
