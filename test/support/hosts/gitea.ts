/** A double of Gitea 1.27: the part of its API that a sync reads, with its quirks. */
import { startHost, type Host, type HostReply, type HostRequest } from './server.js';

export interface GiteaDouble {
  readonly name: string;
  /** Newest first. */
  readonly commits: object[];
  readonly pulls: GiteaPull[];
  readonly issues: GiteaIssue[];
  readonly runs: object[];
  readonly hasActions: boolean;
  /** Issues and pull requests can be switched off, and issues kept elsewhere. */
  readonly hasIssues: boolean | 'elsewhere';
  readonly hasPulls: boolean;
}

export interface GiteaPull {
  readonly request: { readonly number: number; readonly [field: string]: unknown };
  readonly reviews: readonly object[];
  /** Oldest first; null: the server has lost the branch. */
  readonly commits: readonly object[] | null;
}

export interface GiteaIssue {
  readonly issue: { readonly number: number; readonly updated_at: string; readonly [field: string]: unknown };
  /** An entry that the token may not see is undefined: the page is shorter for it. */
  readonly timeline: readonly (object | undefined)[];
}

export interface StartedGitea extends Host {
  readonly token: string;
  readonly repository: GiteaDouble;
}

/** A server allows this many entries on a page; the default is 50. */
const MOST = 4;
const token = 'gitea-token-of-the-test';

/** A commit with a number instead of a hash. */
export function giteaCommit(number: number, fields: { parents?: number; additions?: number } = {}): object {
  const person = { name: 'Ada', email: 'ada@example.com', date: '2026-01-02T10:00:00+01:00' };
  return {
    sha: hashOf(number),
    commit: { message: `Commit ${number}\n`, author: person, committer: person },
    // Accounts that the server does not know are null.
    author: null,
    committer: null,
    parents: Array.from({ length: fields.parents ?? (number > 1 ? 1 : 0) }, (_, index) => ({
      sha: hashOf(number - 1 - index),
    })),
    stats: { total: fields.additions ?? 3, additions: fields.additions ?? 3, deletions: 0 },
    files: null,
  };
}

export function hashOf(number: number): string {
  return String(number).padStart(40, '0');
}

export function giteaRepository(name: string, parts: Partial<Omit<GiteaDouble, 'name'>> = {}): GiteaDouble {
  return {
    name,
    commits: [],
    pulls: [],
    issues: [],
    runs: [],
    hasActions: true,
    hasIssues: true,
    hasPulls: true,
    ...parts,
  };
}

/** Starts a server with one repository. It ends with the test. */
export async function startGiteaDouble(repository: GiteaDouble): Promise<StartedGitea> {
  const host = await startHost((request, url) => {
    if (request.headers.authorization !== `token ${token}`) return failed(401, 'invalid username, password or token');
    return answer(repository, request, url);
  });
  return Object.assign(host, { token, repository });
}

function answer(repository: GiteaDouble, request: HostRequest, url: string): HostReply {
  const path = request.path.replace(/^\/api\/v1/, '');
  const [owner = '', name = ''] = repository.name.split('/');
  if (path === '/settings/api') return found({ max_response_items: MOST, default_paging_num: 3 });
  if (path === `/users/${owner}/repos`) return page(request, url, [described(repository)]);
  if (path === `/user/repos`) return page(request, url, [described(repository)]);
  if (path === '/user') return found({ id: 1, login: 'ada' });
  const top = `/repos/${owner}/${name}`;
  if (path !== top && !path.startsWith(`${top}/`)) return failed(404, "The target couldn't be found.");
  return ofRepository(repository, path.slice(top.length), request, url);
}

function ofRepository(repository: GiteaDouble, path: string, request: HostRequest, url: string): HostReply {
  const { commits, pulls, issues, runs, hasActions, hasIssues, hasPulls } = repository;
  const [, kind = '', part = '', more = ''] = path.split('/');
  if (path === '') return found(described(repository));
  if (kind === 'branches') return found({ name: part, commit: { id: shaOf(commits[0]) } });
  if (kind === 'git') {
    const commit = commits.find((each) => shaOf(each) === more.replace('.diff', ''));
    if (commit === undefined) return failed(404, 'object does not exist');
    return more.endsWith('.diff') ? diffOf(commit) : found(commit);
  }
  if (kind === 'commits') return commitList(commits, request, url);
  if (kind === 'actions') {
    return hasActions ? page(request, url, runs, 'workflow_runs') : failed(404, "The target couldn't be found.");
  }
  if ((kind === 'issues' && hasIssues !== true) || (kind === 'pulls' && !hasPulls)) {
    return failed(404, "The target couldn't be found.");
  }
  if (kind === 'issues' && part === '') {
    const since = Date.parse(request.query.get('since') ?? '1970-01-01T00:00:00Z');
    const changed = issues.filter(({ issue }) => Date.parse(issue.updated_at) >= since);
    return page(
      request,
      url,
      changed.map(({ issue }) => issue),
    );
  }
  if (kind === 'issues')
    return timeline(
      issues.find(({ issue }) => issue.number === Number(part)),
      request,
    );
  if (part === '') {
    // The list does not have the sizes, because computing them is slow.
    const listed = pulls.map(({ request: pull }) => ({ ...pull, additions: undefined, deletions: undefined }));
    // One that the server cannot describe is null.
    return page(request, url, [null, ...listed]);
  }
  const pull = pulls.find(({ request: each }) => each.number === Number(part));
  if (pull === undefined) return failed(404, 'pull request does not exist');
  if (more === '') return found(pull.request);
  // The list of reviews has no Link header.
  if (more === 'reviews') return page(request, null, pull.reviews);
  return pull.commits === null ? failed(404, 'object does not exist') : page(request, url, pull.commits);
}

/** `not` leaves out what a commit reaches; git fails for one that it does not know. */
function commitList(commits: readonly object[], request: HostRequest, url: string): HostReply {
  const indexOf = (hash: string | null): number => commits.findIndex((commit) => shaOf(commit) === hash);
  const start = indexOf(request.query.get('sha'));
  const not = request.query.get('not');
  if (start < 0) return failed(404, 'object does not exist');
  if (not !== null && indexOf(not) < 0) return failed(500, 'exit status 128 - fatal: bad object');
  const listed = commits.slice(start, not === null ? undefined : indexOf(not));
  const isCounted = request.query.get('stat') !== 'false';
  return page(request, url, isCounted ? listed : listed.map((commit) => ({ ...commit, stats: null })));
}

/** A diff that adds the lines of the commit to one file. */
function diffOf(commit: object): HostReply {
  const count = Number(Reflect.get(Object(Reflect.get(commit, 'stats')), 'additions'));
  const head = 'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n';
  const body = count === 0 ? '' : `${head}@@ -1,0 +1,${count} @@\n${'+line\n'.repeat(count)}`;
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** An empty page of a timeline is null, and there is no Link header. */
function timeline(found: GiteaIssue | undefined, request: HostRequest): HostReply {
  if (found === undefined) return failed(404, 'issue does not exist');
  const { start, limit } = rangeOf(request);
  const items = found.timeline.slice(start, start + limit).filter((item) => item !== undefined);
  return { status: 200, body: items.length === 0 ? null : items };
}

function rangeOf({ query }: HostRequest): { readonly start: number; readonly limit: number; readonly number: number } {
  const number = Number(query.get('page') ?? '1');
  const limit = Math.min(Number(query.get('limit') ?? '3'), MOST);
  return { number, limit, start: (number - 1) * limit };
}

/** @param url of the server, for the Link header; null: the list has only its total number */
function page(request: HostRequest, url: string | null, all: readonly (object | null)[], property?: string): HostReply {
  const { start, limit, number } = rangeOf(request);
  const items = all.slice(start, start + limit);
  const next = `<${url ?? ''}${request.path}?page=${number + 1}>; rel="next"`;
  return {
    status: 200,
    headers: {
      'x-total-count': String(all.length),
      ...(url !== null && start + limit < all.length ? { link: next } : {}),
    },
    body: property === undefined ? items : { total_count: all.length, [property]: items },
  };
}

function described({ name, commits, hasActions, hasIssues, hasPulls }: GiteaDouble): object {
  const url = `https://gitea.test/${name}`;
  return {
    ...{ id: 7, full_name: name, html_url: url, clone_url: `${url}.git`, default_branch: 'main', private: true },
    ...{ has_issues: hasIssues !== false, has_pull_requests: hasPulls },
    ...(hasIssues === 'elsewhere' ? { external_tracker: { external_tracker_url: 'https://tracker.test' } } : {}),
    ...{ archived: false, empty: commits.length === 0, has_actions: hasActions, created_at: '2025-01-01T00:00:00Z' },
  };
}

function shaOf(commit: object | undefined): unknown {
  return commit === undefined ? undefined : Reflect.get(commit, 'sha');
}

function found(body: object): HostReply {
  return { status: 200, body };
}

function failed(status: number, message: string): HostReply {
  return { status, body: { message, url: 'https://gitea.test/api/swagger' } };
}
