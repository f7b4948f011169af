import { describe, expect, it } from 'vitest';
import type { SyncDependencies } from '../../src/sync/dependencies.js';
import type { SyncOptions } from '../../src/sync/options.js';
import type { SyncSummary } from '../../src/sync/summary.js';
import {
  giteaCommit,
  giteaRepository,
  hashOf,
  startGiteaDouble,
  type GiteaIssue,
  type StartedGitea,
} from '../support/hosts/gitea.js';
import { noted, onlyId, sqliteUri, storedRows, sync, testDependencies } from './harness.js';
import { AGGREGATE_PATH } from '../../src/sync/records.js';
import { parseSyncRequest } from '../../src/sync/request.js';

const ada = { id: 1, login: 'ada' };
const grace = { id: 2, login: 'grace' };

function read(
  { url, token }: StartedGitea,
  db: string,
  target: string,
  more: SyncOptions = {},
  dependencies: SyncDependencies = testDependencies(),
): Promise<SyncSummary> {
  const where = { giteaUrl: url, auth: token, owner: 'acme', repo: 'widgets' };
  return sync({ provider: 'gitea', target, db, ...where, ...more }, dependencies);
}

const history = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => giteaCommit(count - index, { additions: count - index }));

function issue(number: number, updated: string, timeline: GiteaIssue['timeline'] = [], fields = {}): GiteaIssue {
  return {
    issue: {
      ...{ number, title: `Issue ${number}`, body: '', state: 'open', user: ada, labels: [{ name: 'bug' }] },
      ...{ created_at: '2026-01-01T00:00:00Z', updated_at: updated, closed_at: null, pull_request: null },
      ...fields,
    },
    timeline,
  };
}

describe('sync from gitea', () => {
  it('stores the latest 100 commits from the small pages of the server, the last 50 with their files', async () => {
    const host = await startGiteaDouble(giteaRepository('acme/widgets', { commits: history(105) }));
    const db = sqliteUri();
    const summary = await read(host, db, 'git');
    expect(summary.repositories[0]).toMatchObject({
      name: 'acme/widgets',
      error: null,
      records: { git_commits: 100, git_commit_stats: 50 },
    });
    const stored = await storedRows(db, onlyId(summary));
    expect(new Set(stored['git_commits']?.map(({ hash }) => hash)).size).toBe(100);
    expect(stored['git_commit_stats']).toContainEqual(
      expect.objectContaining({ commit_hash: hashOf(105), file_path: 'src/a.ts', additions: 105, deletions: 0 }),
    );
    // The server computes nothing for the list that is not stored.
    const lists = host.requests.filter(({ path }) => path.endsWith('/commits'));
    expect(lists.every(({ query }) => query.get('files') === 'false' && query.get('verification') === 'false')).toBe(
      true,
    );
  });

  it('later reads only the commits that the last head does not reach', async () => {
    const host = await startGiteaDouble(giteaRepository('acme/widgets', { commits: history(6) }));
    const db = sqliteUri();
    await read(host, db, 'git');
    host.repository.commits.unshift(giteaCommit(8), giteaCommit(7));
    host.requests.length = 0;
    const summary = await read(host, db, 'git');
    expect(summary.repositories[0]?.records.git_commits).toBe(2);
    expect(host.requests.filter(({ query }) => query.get('not') === hashOf(6))).toHaveLength(1);
  });

  it('reads the latest commits again after a rewritten history, whose old head the server does not know', async () => {
    const host = await startGiteaDouble(giteaRepository('acme/widgets', { commits: history(6) }));
    const db = sqliteUri();
    await read(host, db, 'git');
    host.repository.commits.splice(0, 2, giteaCommit(20, { parents: 0 }));
    const summary = await read(host, db, 'git', { prune: true });
    expect(summary.repositories[0]).toMatchObject({ status: 'ok', error: null });
    expect(host.requests.some(({ query }) => query.get('not') === hashOf(6))).toBe(false);
  });

  it('stores the sum of a commit whose diff the server does not send, and knows one that changed nothing', async () => {
    const commits = [giteaCommit(2, { additions: 0 }), giteaCommit(1, { additions: 9 })];
    const host = await startGiteaDouble(giteaRepository('acme/widgets', { commits }));
    host.fault = ({ path }) => (path.endsWith(`${hashOf(1)}.diff`) ? 'cut' : undefined);
    const db = sqliteUri();
    const summary = await read(host, db, 'git');
    expect((await storedRows(db, onlyId(summary)))['git_commit_stats']).toMatchObject([
      { commit_hash: hashOf(1), file_path: AGGREGATE_PATH, additions: 9 },
      { commit_hash: hashOf(2), file_path: AGGREGATE_PATH, additions: 0 },
    ]);
  });

  it('skips a commit that the server cannot answer', async () => {
    const host = await startGiteaDouble(giteaRepository('acme/widgets', { commits: history(7) }));
    host.fault = ({ path, query }) => {
      const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
      const isWithin = (page - 1) * limit <= 2 && 2 < page * limit;
      return path.endsWith('/commits') && isWithin ? { status: 500, body: {} } : undefined;
    };
    const summary = await read(host, sqliteUri(), 'git');
    expect(summary.repositories[0]).toMatchObject({
      records: { git_commits: 6 },
      notes: ['skipped 1 commit that the host cannot answer'],
    });
  });

  it('treats an empty repository as one without commits', async () => {
    const host = await startGiteaDouble(giteaRepository('acme/widgets'));
    const summary = await read(host, sqliteUri(), 'git');
    expect(summary.repositories[0]).toMatchObject({ status: 'ok', records: { repos: 1 } });
  });

  it('stores requests with the reviews that were submitted, and those whose branch the server has lost', async () => {
    const request = {
      ...{ number: 3, title: 'Repair', body: 'Fixes #1', state: 'closed', user: ada, labels: null, comments: 2 },
      ...{ merged: true, merged_at: '2026-01-05T00:00:00Z', merge_commit_sha: hashOf(9) },
      ...{ created_at: '2026-01-03T00:00:00Z', updated_at: '2026-01-05T00:00:00Z', closed_at: '2026-01-05T00:00:00Z' },
      ...{ head: { label: 'fix', ref: 'refs/pull/3/head', sha: hashOf(8) }, base: { label: 'main', ref: 'main' } },
      ...{ additions: 4, deletions: 1, changed_files: 2 },
    };
    const at = { submitted_at: '2026-01-04T00:00:00Z', dismissed: false, user: grace };
    const reviews = [
      { ...at, id: 1, state: 'REQUEST_REVIEW' },
      { ...at, id: 2, state: 'REQUEST_CHANGES' },
      { ...at, id: 3, state: 'APPROVED', dismissed: true },
      { ...at, id: 4, state: 'COMMENT', user: { id: -1, login: 'Ghost' } },
      { ...at, id: 5, state: 'APPROVED' },
      { ...at, id: 6, state: 'PENDING' },
    ];
    const lost = { ...request, number: 2, state: 'open', merged: false, merged_at: null, merge_commit_sha: null };
    const pulls = [
      { request, reviews, commits: [giteaCommit(8)] },
      { request: { ...lost, updated_at: '2026-01-04T00:00:00Z', closed_at: null }, reviews: [], commits: null },
    ];
    const host = await startGiteaDouble(giteaRepository('acme/widgets', { pulls }));
    const db = sqliteUri();
    const summary = await read(host, db, 'prs');
    expect(summary.repositories[0]?.error).toBeNull();
    const stored = await storedRows(db, onlyId(summary));
    expect(stored['git_pull_requests']).toMatchObject([
      { number: 2, state: 'open', merge_hash: null, reviews_count: 0 },
      {
        ...{ number: 3, state: 'merged', head_branch: 'fix', base_branch: 'main', merge_hash: hashOf(9) },
        ...{ additions: 4, changes_requested_count: 1, reviews_count: 4, comments_count: 2 },
      },
    ]);
    const kept = stored['git_pull_request_reviews']?.map(({ review_id, reviewer, state }) => [
      review_id,
      reviewer,
      state,
    ]);
    expect(kept?.toSorted()).toEqual([
      ['2', 'grace', 'CHANGES_REQUESTED'],
      ['3', 'grace', 'DISMISSED'],
      ['4', 'ghost', 'COMMENTED'],
      ['5', 'grace', 'APPROVED'],
    ]);
  });

  it('stores issues with their changes and closing requests, although pages of a timeline can be short', async () => {
    const ref = (number: number, fields: object): object => ({
      ...{ id: number, type: 'pull_ref', ref_action: 'closes', created_at: '2026-01-02T00:00:00Z', user: grace },
      ref_issue: {
        ...{ number, state: 'closed', pull_request: { merged: true }, repository: { full_name: 'acme/widgets' } },
        ...fields,
      },
    });
    const event = (id: number, type: string, day: number): object => ({
      ...{ id, type, ref_action: 'none', ref_issue: null, user: grace, created_at: `2026-01-0${day}T00:00:00Z` },
    });
    const timeline = [
      ...[undefined, event(1, 'comment', 2), event(2, 'close', 3), event(3, 'reopen', 4)],
      ...[
        ref(12, {}),
        ref(11, { pull_request: { merged: false } }),
        ref(14, { repository: { full_name: 'acme/other' } }),
      ],
      ...[ref(13, { state: 'open', pull_request: { merged: false } }), event(4, 'close', 5)],
    ];
    const closed = { state: 'closed', closed_at: '2026-01-05T00:00:00Z' };
    const issues = [issue(1, '2026-01-05T00:00:00Z', timeline, closed), issue(2, '2026-01-02T00:00:00Z')];
    const host = await startGiteaDouble(giteaRepository('acme/widgets', { issues }));
    const db = sqliteUri();
    const summary = await read(host, db, 'issues');
    expect(summary.repositories[0]?.error).toBeNull();
    const stored = await storedRows(db, onlyId(summary));
    expect(stored['issues']).toMatchObject([
      { number: 1, state: 'closed', labels: ['bug'], body: null, closing_requests: [12, 13] },
      { number: 2, state: 'open', closed_at: null, closing_requests: [] },
    ]);
    const changes = stored['issue_state_changes']?.filter(({ number }) => number === 1);
    expect(changes?.map(({ state }) => state).toSorted()).toEqual(['closed', 'closed', 'opened', 'reopened']);
  });

  it('later reads the issues that have changed since shortly before the last sync began', async () => {
    const issues = [5, 4, 3, 2, 1].map((number) => issue(number, '2026-01-02T00:00:00Z'));
    const host = await startGiteaDouble(giteaRepository('acme/widgets', { issues }));
    const db = sqliteUri();
    await read(host, db, 'issues');
    host.repository.issues[4] = issue(1, '2026-01-14T12:00:00Z', [], { title: 'Changed' });
    const summary = await read(host, db, 'issues');
    expect(summary.repositories[0]?.records.issues).toBe(1);
    expect((await storedRows(db, onlyId(summary)))['issues']?.[0]).toMatchObject({ number: 1, title: 'Changed' });
  });

  it('stores runs; one that waits has no beginning yet, and is read again', async () => {
    const run = { event: 'push', head_branch: 'main', run_attempt: 1 };
    const done = { started_at: '2026-01-02T00:00:00Z', completed_at: '2026-01-02T00:01:00Z', status: 'completed' };
    const runs: object[] = [
      {
        ...run,
        id: 2,
        status: 'queued',
        conclusion: '',
        started_at: '1970-01-01T00:00:00Z',
        completed_at: '1970-01-01T00:00:00Z',
      },
      { ...run, ...done, id: 1, conclusion: 'failure' },
    ];
    const host = await startGiteaDouble(giteaRepository('acme/widgets', { runs }));
    const db = sqliteUri();
    const summary = await read(host, db, 'cicd');
    expect((await storedRows(db, onlyId(summary)))['ci_pipeline_runs']).toMatchObject([
      { run_id: '1', status: 'failure', finished_at: Date.parse('2026-01-02T00:01:00Z') },
      { run_id: '2', status: 'queued', finished_at: null },
    ]);
    runs[0] = {
      ...run,
      id: 2,
      conclusion: 'success',
      status: 'completed',
      started_at: '2026-01-14T12:01:00Z',
      completed_at: '2026-01-14T12:02:00Z',
    };
    await read(host, db, 'cicd');
    expect((await storedRows(db, onlyId(summary)))['ci_pipeline_runs']?.[1]).toMatchObject({ status: 'success' });
  });

  it.each([
    ['cicd', { hasActions: false }, 'its Actions are switched off'],
    ['prs', { hasPulls: false }, 'its pull requests are switched off'],
    ['issues', { hasIssues: false }, 'its issues are switched off'],
    ['issues', { hasIssues: 'elsewhere' }, 'its issues are switched off'],
  ] as const)('notes for %s what is switched off: %j, for which the server answers 404', async (target, off, note) => {
    const host = await startGiteaDouble(giteaRepository('acme/widgets', off));
    const summary = await read(host, sqliteUri(), target);
    expect(summary.repositories[0]).toMatchObject({ status: 'ok', notes: [note] });
  });

  it('finds the repositories of a user that match a pattern', async () => {
    const host = await startGiteaDouble(giteaRepository('acme/widgets', { commits: history(2) }));
    const where = { giteaUrl: host.url, auth: host.token };
    const many = { provider: 'forgejo', target: 'git', db: sqliteUri(), search: 'acme/*' };
    const summary = await sync({ ...many, ...where });
    expect(summary.repositories.map(({ name, status }) => [name, status])).toEqual([['acme/widgets', 'ok']]);
  });

  it.each([
    ['a wrong token', { status: 401, body: {} }, 'unauthorized', /wrong, expired or revoked/],
    ['a missing scope', { status: 403, body: {} }, 'unauthorized', /read:repository/],
    ['a limit of requests', { status: 429, headers: { 'retry-after': '1' }, body: {} }, 'rate_limited', /limiting/],
    ['a page instead of JSON', { status: 200, body: '<html>' }, 'unexpected_reply', /not JSON/],
    ['a failure', { status: 502, body: {} }, 'host_unavailable', /after 5 tries: status 502/],
  ])('explains %s', async (_what, fault, code, message) => {
    const host = await startGiteaDouble(giteaRepository('acme/widgets'));
    host.fault = () => fault;
    const summary = await read(host, sqliteUri(), 'git');
    expect(summary.repositories[0]?.error).toEqual({ code, message: expect.stringMatching(message) });
    expect(JSON.stringify(summary)).not.toContain(host.token);
  });

  it('continues after a connection that was cut', async () => {
    const host = await startGiteaDouble(giteaRepository('acme/widgets', { commits: history(2) }));
    host.fault = (_request, number) => (number % 2 === 1 ? 'cut' : undefined);
    const { dependencies } = noted();
    const summary = await read(host, sqliteUri(), 'git', {}, dependencies);
    expect(summary.repositories[0]).toMatchObject({ status: 'ok', records: { git_commits: 2 } });
  });

  it('needs the address of the server, and has no blame', () => {
    const parsed = parseSyncRequest({ provider: 'gitea', target: 'blame', db: 'sqlite:x', owner: 'a', repo: 'b' }, {});
    expect(parsed).toEqual({
      ok: false,
      problems: [
        '--provider gitea has no blame: it has git, prs, cicd, issues',
        'gitea needs the address of its server: set --gitea-url',
      ],
    });
  });
});
