/** A real repository as both code hosts would serve it: commits and sizes from git, requests as a test describes them. */
import { git } from '../git-history.js';
import type { CommitData } from './host-a-bodies.js';
import type { HostARepositoryData } from './host-a.js';
import { hostARepository } from './host-a.js';
import type { HostBNote, HostBProjectData } from './host-b.js';
import { hostBProject } from './host-b.js';

/** What a host knows of a request in addition to the history. */
export interface ServedRequest {
  readonly number: number;
  readonly title: string;
  readonly login: string;
  /** The commit before the request's own ones, and the last of them. */
  readonly base: string;
  readonly head: string;
  readonly createdAt: string;
  readonly mergedAt: string | null;
  /** The merge, or what it was squashed into. */
  readonly mergedAs: string | null;
  readonly isSquashed: boolean;
  readonly reviews: readonly ServedReview[];
}

/** A review as a person submits it: comments on the diff, with or without a decision. */
interface ServedReview {
  readonly login: string;
  readonly state: 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED';
  readonly at: string;
}

/** A repository at `path` on host_a. */
export function onHostA(path: string, fullName: string, requests: readonly ServedRequest[]): HostARepositoryData {
  return hostARepository(fullName, {
    commits: historyOf(path),
    pullRequests: latestFirst(requests).map((request) => ({
      number: request.number,
      title: request.title,
      body: '',
      state: request.mergedAt === null ? 'OPEN' : 'MERGED',
      createdAt: request.createdAt,
      updatedAt: updateOf(request),
      mergedAt: request.mergedAt,
      closedAt: request.mergedAt,
      headRefName: 'topic',
      baseRefName: 'main',
      headRefOid: request.head,
      mergeCommit: request.mergedAs === null ? null : { oid: request.mergedAs },
      ...sizeOf(path, request),
      changedFiles: sizeOf(path, request).fileCount,
      author: { login: request.login },
      labels: { nodes: [] },
      comments: { totalCount: 0, nodes: [] },
      reviews: {
        totalCount: request.reviews.length,
        nodes: request.reviews.map(({ login, state, at }, index) => ({
          databaseId: request.number * 100 + index,
          state,
          submittedAt: at,
          author: { login },
        })),
      },
      commits: {
        nodes: commitsOf(path, request).map((oid) => ({ commit: { oid, authoredDate: authoredDate(path, oid) } })),
      },
    })),
  });
}

/** A repository at `path` on host_b. */
export function onHostB(
  path: string,
  id: number,
  fullName: string,
  requests: readonly ServedRequest[],
): HostBProjectData {
  return hostBProject(id, fullName, {
    commits: historyOf(path).map(hostBCommit),
    mergeRequests: latestFirst(requests).map((request) => ({
      iid: request.number,
      title: request.title,
      description: '',
      state: request.mergedAt === null ? 'opened' : 'merged',
      author: { username: request.login },
      created_at: request.createdAt,
      updated_at: updateOf(request),
      merged_at: request.mergedAt,
      closed_at: null,
      source_branch: 'topic',
      target_branch: 'main',
      sha: request.head,
      merge_commit_sha: request.isSquashed ? null : request.mergedAs,
      squash_commit_sha: request.isSquashed ? request.mergedAs : null,
      labels: [],
      user_notes_count: 0,
    })),
    details: Object.fromEntries(
      requests.map((request) => {
        const commits = commitsOf(path, request);
        const authored = Object.fromEntries(commits.map((sha) => [sha, authoredDate(path, sha)]));
        const notes = request.reviews.flatMap((review, index) => notesOf(review, request.number * 100 + index * 10));
        return [request.number, { commits, authored, size: sizeOf(path, request), notes }];
      }),
    ),
  });
}

/** What host_b keeps of a review: a comment on the diff, and another note for a decision. */
function notesOf({ login, state, at }: ServedReview, firstId: number): HostBNote[] {
  const note = { system: false, body: 'Why?', createdAt: at, position: { filePath: 'a.txt' } };
  const decision = { APPROVED: 'approved this merge request', CHANGES_REQUESTED: 'requested changes', COMMENTED: null };
  const body = decision[state];
  return [note, ...(body === null ? [] : [{ ...note, system: true, body, position: null }])].map((each, index) => ({
    ...each,
    id: `gid://gitlab/${each.system ? 'Note' : 'DiffNote'}/${firstId + index}`,
    author: { username: login },
  }));
}

/** The commits of the main branch, newest first, as git tells them. */
function historyOf(path: string): CommitData[] {
  const format = '%H%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x01';
  const entries = git(path, 'log', `--format=${format}`, 'main').split('\u0001').slice(0, -1);
  return entries.map((entry) => {
    const [sha = '', parents = '', name = '', email = '', date = '', by = '', byEmail = '', at = '', message = ''] =
      entry.trimStart().split('\0');
    const counts = git(path, 'show', '--first-parent', '--numstat', '--format=', sha).trim().split('\n');
    return {
      sha,
      message,
      date,
      name,
      email,
      committer: { name: by, email: byEmail, date: at },
      parents: parents === '' ? [] : parents.split(' '),
      files: counts
        .filter((line) => line !== '')
        .map((line) => {
          const [additions = '0', deletions = '0', filename = ''] = line.split('\t');
          return { filename, additions: Number(additions), deletions: Number(deletions) };
        }),
    };
  });
}

function hostBCommit({ sha, message, date, name, email, committer, parents = [], files = [] }: CommitData) {
  const [additions, deletions] = [
    files.reduce((sum, file) => sum + file.additions, 0),
    files.reduce((sum, file) => sum + file.deletions, 0),
  ];
  return {
    id: sha,
    message,
    author_name: name,
    author_email: email,
    authored_date: date,
    committer_name: committer?.name,
    committer_email: committer?.email,
    committed_date: committer?.date,
    parent_ids: parents,
    stats: { additions, deletions, total: additions + deletions },
  };
}

function commitsOf(path: string, { base, head }: ServedRequest): string[] {
  return git(path, 'rev-list', head, `^${base}`).trim().split('\n');
}

function authoredDate(path: string, hash: string): string {
  return git(path, 'show', '-s', '--format=%aI', hash).trim();
}

/** As hosts count: from where the branches parted. */
function sizeOf(path: string, { base, head }: ServedRequest) {
  const counts = git(path, 'diff', '--numstat', `${base}...${head}`).trim().split('\n');
  const sum = (index: number): number =>
    counts.reduce((total, line) => total + Number(line.split('\t')[index] ?? '0'), 0);
  return { additions: sum(0), deletions: sum(1), fileCount: counts.length };
}

function latestFirst(requests: readonly ServedRequest[]): ServedRequest[] {
  return requests.toSorted((a, b) => Date.parse(updateOf(b)) - Date.parse(updateOf(a)));
}

function updateOf({ createdAt, mergedAt }: ServedRequest): string {
  return mergedAt ?? createdAt;
}
