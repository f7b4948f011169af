/**
 * `sync git` from host_b: the most recent commits of the default branch, the last ones with statistics. The host
 * reports only their sum per commit, which is stored as one row with the path {@link AGGREGATE_PATH}.
 */
import { AGGREGATE_PATH, type JsonValue, type Row } from '../../records.js';
import type { SyncRequest } from '../../request.js';
import { noteOfLimits, remoteLimits } from '../limits.js';
import { EMPTY_REPOSITORY, ListedCommits } from '../listed-commits.js';
import type { Page, PartialReach, Reach, Reachable, Start } from '../provider.js';
import { readInstant, readInteger, readList, readObject, readText, readTextOrNull } from '../read.js';
import { onePage, readPage } from './client.js';
import type { HostBProject } from './project.js';

interface Position {
  /** The commit from which the history is read. Pages of a branch would shift when new commits arrive. */
  readonly head: string;
  readonly page: number;
  readonly count: number;
}

export async function* commitPages(project: HostBProject, request: SyncRequest, start: Start): AsyncGenerator<Page> {
  const { gitlab, id, defaultBranch } = project;
  if (defaultBranch === null) {
    yield { records: {}, position: null, done: true };
    return;
  }
  const { window } = request;
  const limits = remoteLimits(request);
  const head = await headOf(project);
  const earlier = parsePosition(start?.position ?? null);
  const isUnchanged = start?.done === true && earlier?.head === head;
  let position: Position = start?.done === false && earlier !== undefined ? earlier : { head, page: 1, count: 0 };
  let isCut = false;
  for (let more = !isUnchanged; more && position.count < limits.commits;) {
    const { items, next } = readPage(
      await gitlab.Commits.all(id, {
        refName: position.head,
        withStats: true,
        ...onePage(position.page),
        ...(window.since === undefined ? {} : { since: new Date(window.since).toISOString() }),
        ...(window.until === undefined ? {} : { until: new Date(window.until - 1).toISOString() }),
      }),
    );
    const commits = items.slice(0, limits.commits - position.count);
    const withStats = commits.slice(0, Math.max(0, limits.stats - position.count));
    position = { ...position, page: position.page + 1, count: position.count + commits.length };
    more = next !== null;
    isCut = more || commits.length < items.length;
    yield {
      records: { git_commits: commits.map(commitRow), git_commit_stats: withStats.flatMap(statsRow) },
      position: { ...position },
      done: false,
    };
  }
  const note = noteOfLimits(limits, position.count, isCut);
  yield { records: {}, position: { head: position.head, page: 1, count: 0 }, done: true, ...note };
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

function parsePosition(value: JsonValue): Position | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { head, page, count } = value as Record<string, JsonValue | undefined>;
  return typeof head === 'string' && typeof page === 'number' && typeof count === 'number'
    ? { head, page, count }
    : undefined;
}
