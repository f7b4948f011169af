/**
 * `sync git` from host_b: the most recent commits of the default branch, the last ones with statistics. The host
 * reports only their sum per commit, which is stored as one row with the path {@link AGGREGATE_PATH}.
 */
import { AGGREGATE_PATH, type Row } from '../../records.js';
import type { SyncRequest } from '../../sync-request.js';
import { SyncError } from '../../failures.js';
import {
  commitRangePages,
  pageOf,
  type CommitRange,
  type CommitSource,
  type ListedCommitsPage,
} from '../commit-ranges.js';
import { PER_PAGE, readNumberedPage, type NumberedList } from '../numbered-pages.js';
import { EMPTY_REPOSITORY, ListedCommits } from '../listed-commits.js';
import type { Page, PartialReach, Reach, Reachable, Start } from '../provider.js';
import { readInstant, readInteger, readList, readObject, readText, readTextOrNull } from '../read.js';
import { onePage, readPage } from './client.js';
import type { HostBProject } from './project.js';

export async function* commitPages(project: HostBProject, request: SyncRequest, start: Start): AsyncGenerator<Page> {
  if (project.defaultBranch === null) {
    yield { records: {}, position: null, done: true };
    return;
  }
  const source: CommitSource = {
    list: (range) => listCommits(project, range, request),
    records: (commits, stats) =>
      Promise.resolve({
        git_commits: commits.map(commitRow),
        git_commit_stats: commits.slice(0, stats).flatMap(statsRow),
      }),
    storedAtOnce: PER_PAGE,
    note: () => null,
  };
  yield* commitRangePages(source, await headOf(project), request, start);
}

/** The host no longer knows a base that a rewritten history left behind. */
async function listCommits(
  { gitlab, id }: HostBProject,
  range: CommitRange,
  { window }: SyncRequest,
): Promise<ListedCommitsPage | undefined> {
  const { head, base } = range;
  const list: NumberedList = {
    read: async (page, perPage) => {
      const options = {
        refName: base === null ? head : `${base}..${head}`,
        withStats: true,
        ...onePage(page, perPage),
        ...(window.since === undefined ? {} : { since: new Date(window.since).toISOString() }),
        ...(window.until === undefined ? {} : { until: new Date(window.until - 1).toISOString() }),
      };
      const { items, next } = readPage(await gitlab.Commits.all(id, options));
      return { items, hasNext: next !== null };
    },
    probe: () => gitlab.Projects.show(id),
  };
  try {
    return await readNumberedPage(list, pageOf(range));
  } catch (error) {
    if (base !== null && error instanceof SyncError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** What the default branch reaches. */
export async function reachOf(project: HostBProject): Promise<Reach | PartialReach> {
  if (project.defaultBranch === null) return { partial: EMPTY_REPOSITORY };
  const head = await headOf(project);
  return { refs: head, branch: project.defaultBranch, list: () => listFrom(project, head) };
}

/** A request for each 100 commits. */
async function listFrom({ gitlab, id }: HostBProject, head: string): Promise<Reachable | PartialReach> {
  const listed = new ListedCommits();
  for (let page: number | null = 1; page !== null;) {
    const { items, next } = readPage(await gitlab.Commits.all(id, { refName: head, ...onePage(page) }));
    for (const value of items) {
      const commit = readObject(value, 'commit');
      const parents = readList(commit['parent_ids'], 'parent_ids').map((id) => readText(id, 'parent id'));
      listed.add(readText(commit['id'], 'id'), parents);
    }
    page = next === null ? null : Number(next);
  }
  return listed.reachable(head);
}

/** The commit at the tip of the default branch. */
export async function headOf({ gitlab, id, defaultBranch }: HostBProject): Promise<string> {
  const branch = readObject(await gitlab.Branches.show(id, defaultBranch ?? 'HEAD'), 'branch');
  return readText(readObject(branch['commit'], 'branch.commit')['id'], 'branch.commit.id');
}

function commitRow(value: unknown): Row<'git_commits'> {
  const commit = readObject(value, 'commit');
  return {
    hash: readText(commit['id'], 'id'),
    message: readText(commit['message'], 'message').replace(/\n+$/, ''),
    author_name: readTextOrNull(commit['author_name'], 'author_name'),
    author_email: readTextOrNull(commit['author_email'], 'author_email'),
    author_when: readInstant(commit['authored_date'], 'authored_date'),
    committer_name: readTextOrNull(commit['committer_name'], 'committer_name'),
    committer_email: readTextOrNull(commit['committer_email'], 'committer_email'),
    committer_when: readInstant(commit['committed_date'], 'committed_date'),
    parents: readList(commit['parent_ids'], 'parent_ids').length,
  };
}

/** None for a merge: its changes are counted with the commits that it merges. */
function statsRow(value: unknown): Row<'git_commit_stats'>[] {
  const commit = readObject(value, 'commit');
  if (readList(commit['parent_ids'], 'parent_ids').length > 1) return [];
  const stats = readObject(commit['stats'], 'stats');
  return [
    {
      commit_hash: readText(commit['id'], 'id'),
      file_path: AGGREGATE_PATH,
      old_path: null,
      additions: readInteger(stats['additions'], 'additions'),
      deletions: readInteger(stats['deletions'], 'deletions'),
      old_file_mode: null,
      new_file_mode: null,
    },
  ];
}
