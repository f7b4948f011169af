import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { repositoryId } from '../../src/sync/identity.js';
import type { AnyRow } from '../../src/sync/records.js';
import { AGGREGATE_PATH } from '../../src/sync/records.js';
import { exitCodeOf } from '../../src/sync/summary.js';
import type { HostB, HostBNote } from '../support/hosts/host-b.js';
import { hostBProject, refusal, startHostB } from '../support/hosts/host-b.js';
import type { Fault } from '../support/hosts/server.js';
import { NOW, noted, onlyId, sqliteUri, storedRows, sync, testDependencies } from './harness.js';
import { unitsIn } from './work-units/stored-units.js';

function options(host: HostB, db: string, more: Record<string, string> = {}) {
  return { target: 'git', provider: 'gitlab', db, hostBUrl: host.url, auth: host.token, projectId: '7', ...more };
}

function commits(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => {
    const date = new Date(NOW - index * 60_000).toISOString();
    return {
      id: String(count - index).padStart(40, '0'),
      message: 'fix: a bug\n',
      author_name: 'Ada',
      author_email: 'ada@example.com',
      authored_date: date,
      committer_name: 'Ada',
      committer_email: 'ada@example.com',
      committed_date: date,
      parent_ids: index === count - 1 ? [] : ['p'],
      stats: { additions: 3, deletions: 1, total: 4 },
    };
  });
}

async function rowsOf(host: HostB, target: string, table: string): Promise<readonly AnyRow[]> {
  const db = sqliteUri();
  const summary = await sync(options(host, db, { target }));
  expect(summary.repositories[0]?.error).toBeNull();
  return (await storedRows(db, onlyId(summary)))[table] ?? [];
}

const merge = (iid: number, changes: object = {}): Record<string, unknown> => ({
  iid,
  title: `Change ${iid}`,
  description: null,
  state: 'opened',
  author: { username: 'ada' },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: new Date(NOW - iid * 60_000).toISOString(),
  merged_at: null,
  closed_at: null,
  source_branch: 'topic',
  target_branch: 'main',
  sha: 'a'.repeat(40),
  merge_commit_sha: null,
  squash_commit_sha: null,
  labels: ['bug'],
  user_notes_count: 2,
  ...changes,
});

/** The time that the notes count from. */
const START = Date.parse('2026-01-01T00:00:00Z');

function note(
  id: number,
  login: string | null,
  body: string,
  minute: number,
  kind: 'diff' | 'comment' | 'system' = 'diff',
): HostBNote {
  return {
    id: `gid://gitlab/${kind === 'diff' ? 'DiffNote' : 'Note'}/${id}`,
    system: kind === 'system',
    body,
    createdAt: new Date(START + minute * 60_000).toISOString(),
    position: kind === 'diff' ? { filePath: 'a.ts' } : null,
    author: login === null ? null : { username: login },
  };
}

describe('sync from host_b', () => {
  it('stores the project, its 100 most recent commits, and one total for each of the last 50', async () => {
    const host = await startHostB(hostBProject(7, 'group/sub/widgets', { commits: commits(130) }));
    const db = sqliteUri();
    const summary = await sync(options(host, db));
    expect(summary.repositories).toEqual([
      {
        id: repositoryId('default', 'host-b.test/group/sub/widgets'),
        name: 'group/sub/widgets',
        status: 'ok',
        records: { repos: 1, git_commits: 100, git_commit_stats: 50, work_units: 100 },
        notes: ['only the latest 100 commits are read; changed files are read of the latest 50 commits only'],
        error: null,
      },
    ]);
    const stored = await storedRows(db, onlyId(summary));
    expect(stored['git_commits']?.at(-1)).toMatchObject({ author_email: 'ada@example.com', message: 'fix: a bug' });
    expect(stored['git_commit_stats']?.[0]).toMatchObject({ file_path: AGGREGATE_PATH, additions: 3, deletions: 1 });
    const before = await storedRows(db, onlyId(summary));
    await sync(options(host, db));
    expect(await storedRows(db, onlyId(summary))).toEqual(before);
  });

  it('treats an empty repository as one without commits', async () => {
    const host = await startHostB(hostBProject(7, 'group/widgets'));
    expect(await rowsOf(host, 'git', 'git_commits')).toEqual([]);
    expect(await rowsOf(host, 'blame', 'git_blame')).toEqual([]);
  });

  it('stores merge requests over pages, and later only what was updated', async () => {
    const merged = { state: 'merged', merged_at: '2026-01-02T00:00:00.000Z', squash_commit_sha: 'b'.repeat(40) };
    const project = hostBProject(7, 'group/widgets', {
      mergeRequests: Array.from({ length: 150 }, (_, index) => merge(index + 1, index === 0 ? merged : {})),
    });
    const host = await startHostB(project);
    const db = sqliteUri();
    const summary = await sync(options(host, db, { target: 'prs' }));
    expect(summary.repositories[0]?.records).toEqual({ repos: 1, git_pull_requests: 150, work_units: 150 });
    const stored = await storedRows(db, onlyId(summary));
    expect(stored['git_pull_requests']?.slice(0, 2)).toMatchObject([
      {
        number: 1,
        state: 'merged',
        merged_at: Date.parse('2026-01-02T00:00:00Z'),
        closed_at: Date.parse('2026-01-02T00:00:00Z'),
        merge_hash: 'b'.repeat(40),
        comments_count: 2,
      },
      { number: 2, state: 'open', author_name: 'ada', labels: ['bug'] },
    ]);
    project.mergeRequests.unshift(merge(151, { updated_at: new Date(NOW).toISOString() }));
    expect((await sync(options(host, db, { target: 'prs' }))).repositories[0]?.records['git_pull_requests']).toBe(2);
  });

  it('stores all commits of a merge request and its size, which the list does not show', async () => {
    const hashes = Array.from({ length: 230 }, (_, index) => String(index).padStart(40, '0'));
    const host = await startHostB(
      hostBProject(7, 'group/widgets', {
        mergeRequests: [merge(1, { squash_commit_sha: 'b'.repeat(40) }), merge(2)],
        details: { 1: { commits: hashes, size: { additions: 20, deletions: 10, fileCount: 3 } } },
      }),
    );
    expect(await rowsOf(host, 'prs', 'git_pull_requests')).toMatchObject([
      {
        number: 1,
        commit_hashes: [...hashes, 'a'.repeat(40), 'b'.repeat(40)],
        additions: 20,
        deletions: 10,
        changed_files: 3,
      },
      { number: 2, commit_hashes: ['a'.repeat(40)], additions: null, deletions: null, changed_files: null },
    ]);
  });

  it('stores the reviews that the notes of a merge request tell of, as many as there are pages', async () => {
    const notes = [
      note(1, 'ada', 'added 1 commit', 0, 'system'),
      note(2, 'grace', 'A comment on the whole', 1, 'comment'),
      note(3, 'grace', 'approved this merge request', 2, 'comment'),
      // Published together: one review.
      note(4, 'grace', 'Why?', 10),
      note(5, 'grace', 'And this?', 10),
      note(6, 'grace', 'requested changes', 10.5, 'system'),
      note(7, 'lin', 'Typo', 20),
      note(8, 'lin', 'Another typo', 25),
      note(9, 'lin', 'approved this merge request', 30, 'system'),
      note(10, 'lin', 'unapproved this merge request', 30.5, 'system'),
      note(11, 'kim', 'approved this merge request', 40, 'system'),
      note(12, 'ada', 'reset approvals from @kim and @lin by pushing to the branch', 41, 'system'),
      note(13, null, 'approved this merge request', 42, 'system'),
      ...Array.from({ length: 200 }, (_, index) => note(100 + index, 'ada', 'added 1 commit', 50, 'system')),
      note(300, 'kim', 'approved this merge request', 60, 'system'),
    ];
    const host = await startHostB(
      hostBProject(7, 'group/widgets', {
        mergeRequests: [merge(1), merge(2)],
        details: { 1: { commits: [], size: null, notes }, 2: { commits: [], size: null } },
      }),
    );
    const db = sqliteUri();
    const summary = await sync(options(host, db, { target: 'prs' }));
    const stored = await storedRows(db, onlyId(summary));
    const reviews = (stored['git_pull_request_reviews'] ?? []).map((row) => [
      row['review_id'],
      row['reviewer'],
      row['state'],
      (Number(row['submitted_at']) - START) / 60_000,
    ]);
    expect(reviews.toSorted(([one], [other]) => Number(one) - Number(other))).toEqual([
      ['4', 'grace', 'CHANGES_REQUESTED', 10],
      ['7', 'lin', 'COMMENTED', 20],
      ['8', 'lin', 'COMMENTED', 25],
      ['9', 'lin', 'DISMISSED', 30],
      ['11', 'kim', 'DISMISSED', 40],
      ['13', 'ghost', 'APPROVED', 42],
      ['300', 'kim', 'APPROVED', 60],
    ]);
    expect(stored['git_pull_requests']).toMatchObject([
      {
        number: 1,
        reviews_count: 7,
        changes_requested_count: 1,
        first_review_at: START + 10 * 60_000,
        first_comment_at: START + 60_000,
        notes_read: 214,
      },
      { number: 2, reviews_count: 0, first_review_at: null, notes_read: 0 },
    ]);
    // The commits and sizes of both, the notes of both, and two more pages of notes.
    expect(host.requests.filter(({ path }) => path === '/api/graphql')).toHaveLength(4);
  });

  it.each<[string, 'hidden' | HostBNote[], boolean]>([
    ['the host hides the notes of one', 'hidden', false],
    ['one has too many notes', Array.from({ length: 1001 }, (_, id) => note(id + 1, 'ada', 'No', id)), false],
    ['the host refuses the query for notes', [], true],
  ])('leaves the reviews of merge requests unknown if %s', async (_name, notes, refuses) => {
    const host = await startHostB(
      hostBProject(7, 'group/widgets', {
        mergeRequests: [merge(1)],
        details: { 1: { commits: ['c'.repeat(40)], size: { additions: 1, deletions: 0, fileCount: 1 }, notes } },
      }),
    );
    if (refuses) host.fault = ({ body }) => (body.includes('notes(') ? refusal(403, 'Forbidden') : undefined);
    const heard = noted();
    const db = sqliteUri();
    const summary = await sync(options(host, db, { target: 'prs' }), heard.dependencies);
    expect(summary.repositories[0]?.error).toBeNull();
    const [request] = (await storedRows(db, onlyId(summary)))['git_pull_requests'] ?? [];
    expect(request).toMatchObject({ number: 1, additions: 1, reviews_count: 0, notes_read: null });
    expect((await unitsIn(db, onlyId(summary)))[0]?.reviewers).toBeUndefined();
    expect(heard.notes).toEqual([
      'group/widgets (prs): the reviews of 1 merge request are unknown, because the host does not show its notes',
    ]);
  });

  it('reads all merge requests again after a release that did not read their reviews', async () => {
    const notes = [note(1, 'grace', 'approved this merge request', 5, 'system')];
    const host = await startHostB(
      hostBProject(7, 'group/widgets', {
        mergeRequests: [merge(1), merge(2)],
        details: { 2: { commits: [], size: null, notes } },
      }),
    );
    const db = sqliteUri();
    const repoId = onlyId(await sync(options(host, db, { target: 'prs' })));
    const database = new Database(db.slice('sqlite:'.length));
    database.exec('delete from git_pull_request_reviews');
    database.exec('update git_pull_requests set notes_read = null');
    const marker = String.raw`\"also\":\"reviews\"`;
    expect(database.prepare('update sync_state set state = replace(state, ?, ?)').run(marker, '').changes).toBe(1);
    const { state } = database.prepare('select state from sync_state').get() as { readonly state: string };
    expect(state).not.toContain('reviews');
    database.close();
    await sync(options(host, db, { target: 'prs' }));
    expect((await storedRows(db, repoId))['git_pull_request_reviews']).toHaveLength(1);
  });

  it('fails with the error of host_b if it refuses a GraphQL query', async () => {
    const host = await startHostB(hostBProject(7, 'group/widgets', { mergeRequests: [merge(1)] }));
    host.fault = ({ path }) =>
      path === '/api/graphql' ? { status: 200, body: { errors: [{ message: 'Query is too complex' }] } } : undefined;
    const summary = await sync(options(host, sqliteUri(), { target: 'prs' }));
    expect(summary.repositories[0]?.error).toEqual({
      code: 'unexpected_reply',
      message: 'host_b did not answer a GraphQL query: Query is too complex.',
    });
  });

  it('stores pipelines, deployments and incidents', async () => {
    const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:10:00.000Z' };
    const host = await startHostB(
      hostBProject(7, 'group/widgets', {
        pipelines: [
          { id: 1, status: 'success', ...times },
          { id: 2, status: 'running', ...times },
        ],
        deployments: [
          {
            id: 3,
            status: 'success',
            ref: 'main',
            environment: { name: 'production' },
            user: { username: 'ada' },
            sha: 'a'.repeat(40),
            deployable: {
              name: 'deploy-live',
              started_at: '2026-01-01T00:02:00.000Z',
              finished_at: '2026-01-01T00:08:00.000Z',
              commit: { id: 'a'.repeat(40), created_at: '2025-12-31T23:59:00.000Z' },
            },
            ...times,
          },
        ],
        environments: [
          { name: 'production', tier: 'production' },
          { name: 'old', tier: null },
        ],
        incidents: [
          {
            severity: 'CRITICAL',
            iid: 4,
            title: 'Down',
            state: 'opened',
            author: { username: 'ada' },
            labels: ['sev1'],
            closed_at: null,
            ...times,
          },
        ],
      }),
    );
    const at = (minute: number): number => Date.parse('2026-01-01T00:00:00Z') + minute * 60_000;
    expect(await rowsOf(host, 'cicd', 'ci_pipeline_runs')).toMatchObject([
      { run_id: '1', status: 'success', finished_at: at(10) },
      { run_id: '2', status: 'running', finished_at: null },
    ]);
    expect(await rowsOf(host, 'deployments', 'deployments')).toMatchObject([
      {
        deployment_id: '3',
        environment: 'production',
        tier: 'production',
        job: 'deploy-live',
        author_name: 'ada',
        started_at: at(2),
        finished_at: at(8),
        deployed_at: at(8),
        commit_hash: 'a'.repeat(40),
        committed_at: at(-1),
      },
    ]);
    expect(await rowsOf(host, 'incidents', 'incidents')).toMatchObject([
      { incident_id: '4', title: 'Down', status: 'open', severity: 'critical', started_at: at(0), resolved_at: null },
    ]);
  });

  it('stores deployments of a project whose environments it may not read', async () => {
    const host = await startHostB(
      hostBProject(7, 'group/widgets', {
        deployments: [
          {
            ...{ id: 3, status: 'success', ref: 'main', environment: { name: 'production' }, sha: 'a'.repeat(40) },
            ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:10:00.000Z' },
          },
        ],
        environments: null,
      }),
    );
    expect(await rowsOf(host, 'deployments', 'deployments')).toMatchObject([
      { deployment_id: '3', environment: 'production', tier: null, job: null },
    ]);
  });

  it('stores blame with the lines, of paths that need escaping too', async () => {
    const [commit = {}] = commits(1);
    const host = await startHostB(
      hostBProject(7, 'group/widgets', {
        commits: commits(1),
        files: { 'src/a b.ts': [{ commit, lines: ['one', 'two'] }], 'x.png': [] },
      }),
    );
    expect(await rowsOf(host, 'blame', 'git_blame')).toMatchObject([
      { path: 'src/a b.ts', line_no: 1, line: 'one' },
      { line_no: 2, line: 'two', author_email: 'ada@example.com' },
    ]);
  });

  it('reports how many files blame omits', async () => {
    const [commit = {}] = commits(1);
    const paths = Array.from({ length: 501 }, (_, index) => `src/${index}.ts`);
    const files = Object.fromEntries(paths.map((path) => [path, [{ commit, lines: ['one'] }]]));
    const host = await startHostB(hostBProject(7, 'group/widgets', { commits: commits(1), files }));
    const { notes, dependencies } = noted();
    const summary = await sync(options(host, sqliteUri(), { target: 'blame' }), dependencies);
    expect(summary.repositories[0]?.records).toMatchObject({ git_blame: 500 });
    expect(notes).toEqual(['group/widgets (blame): only 500 files are read']);
  });

  it('needs no token for a public project', async () => {
    const host = await startHostB(
      hostBProject(7, 'group/widgets', { visibility: 'public', commits: commits(1) }),
      hostBProject(8, 'group/secret'),
    );
    const open = { target: 'git', provider: 'host_b', db: sqliteUri(), hostBUrl: host.url };
    expect((await sync({ ...open, projectId: '7' })).repositories[0]?.status).toBe('ok');
    expect((await sync({ ...open, projectId: '8' })).repositories[0]).toMatchObject({
      status: 'failed',
      error: { code: 'not_found' },
    });
  });

  it('does not follow a redirect to another origin, and sends no token there', async () => {
    const other = await startHostB(hostBProject(7, 'group/widgets'));
    const host = await startHostB(hostBProject(7, 'group/widgets'));
    host.fault = ({ path }) => ({ status: 302, headers: { location: `${other.url}${path}` }, body: '' });
    const dependencies = testDependencies();
    const summary = await sync(options(host, sqliteUri()), dependencies);
    expect(summary.repositories[0]?.error).toEqual({
      code: 'unexpected_reply',
      message:
        `host_b did not answer projects/7: it redirects to another origin, ${other.url}. ` +
        'If you trust it, make that the address of host_b.',
    });
    expect([host.requests.length, other.requests.length, dependencies.slept]).toEqual([1, 0, []]);
  });

  it('follows a redirect within the origin, which hosts send for a renamed project', async () => {
    const host = await startHostB(hostBProject(7, 'group/widgets', { commits: commits(1) }));
    host.fault = ({ path }) =>
      path === '/api/v4/projects/6'
        ? { status: 301, headers: { location: '/api/v4/projects/7' }, body: '' }
        : undefined;
    const summary = await sync(options(host, sqliteUri(), { projectId: '6', target: 'prs' }));
    expect(summary.repositories[0]?.name).toBe('group/widgets');
  });

  it('fails when no project matches the pattern, with the pattern and what it was compared with', async () => {
    const host = await startHostB(hostBProject(1, 'group/api'), hostBProject(2, 'group/web'));
    const batch = { target: 'git', provider: 'host_b', db: sqliteUri(), hostBUrl: host.url, auth: host.token };
    await expect(sync({ ...batch, search: 'nothing-*', group: 'group' })).rejects.toThrow(
      'None of the 2 repositories of group on host_b matches "nothing-*", which is compared with their names.',
    );
  });

  it('syncs the projects of a group or user that match a pattern', async () => {
    const host = await startHostB(
      ...['group/api-1', 'group/sub/api-2', 'group/web', 'user1/api-3'].map((path, index) =>
        hostBProject(index + 1, path),
      ),
    );
    const batch = { target: 'git', provider: 'host_b', db: sqliteUri(), hostBUrl: host.url, auth: host.token };
    expect((await sync({ ...batch, search: 'API-*', group: 'group' })).repositories.map(({ name }) => name)).toEqual([
      'group/api-1',
      'group/sub/api-2',
    ]);
    expect((await sync({ ...batch, search: 'user1/*' })).repositories.map(({ name }) => name)).toEqual(['user1/api-3']);
  });

  it.each([
    ['a wrong token', { auth: 'wrong' }, undefined, 'unauthorized', /refused the token/],
    [
      'a token without the scopes',
      {},
      refusal(403, 'insufficient_scope'),
      'unauthorized',
      /read_api and read_repository/,
    ],
    ['a project that is missing', { projectId: '99' }, undefined, 'not_found', /private project looks the same/],
    ['a reply that is not JSON', {}, { status: 200, body: '<html>' }, 'unexpected_reply', /not JSON/],
  ] as const)('fails at once, with a code and a reason, for %s', async (_name, more, fault, code, reason) => {
    const host = await startHostB(hostBProject(7, 'group/widgets'));
    if (fault !== undefined) host.fault = () => fault;
    const dependencies = testDependencies();
    const summary = await sync(options(host, sqliteUri(), more), dependencies);
    expect(summary.repositories[0]).toMatchObject({
      status: 'failed',
      error: { code, message: expect.stringMatching(reason) as string },
    });
    expect([exitCodeOf(summary), host.requests.length, dependencies.slept]).toEqual([1, 1, []]);
  });

  it.each<[string, Fault, number]>([
    ['429 with Retry-After', refusal(429, 'Too Many Requests', { 'retry-after': '11' }), 11_000],
    [
      '429 with its reset time',
      refusal(429, 'Too Many Requests', { 'ratelimit-remaining': '0', 'ratelimit-reset': String(NOW / 1000 + 20) }),
      21_000,
    ],
    ['429 with a delay beyond the cap', refusal(429, 'Too Many Requests', { 'retry-after': '9000' }), 300_000],
    ['429 without a delay', refusal(429, 'Too Many Requests'), 750],
    ['502', refusal(502, 'Bad Gateway'), 750],
    ['a cut connection', 'cut', 750],
    ['a reply cut in the middle', 'cut in the middle', 750],
  ])('waits as long as required after %s, then continues', async (_name, fault, wait) => {
    const host = await startHostB(hostBProject(7, 'group/widgets', { commits: commits(2) }));
    host.fault = (_request, number) => (number === 3 ? fault : undefined);
    const dependencies = testDependencies();
    const summary = await sync(options(host, sqliteUri()), dependencies);
    expect(summary.repositories[0]).toMatchObject({ status: 'ok', records: { git_commits: 2 } });
    expect(dependencies.slept).toEqual([wait]);
  });

  it('resumes where a rate limit stopped it', async () => {
    const host = await startHostB(
      hostBProject(7, 'group/widgets', {
        mergeRequests: Array.from({ length: 250 }, (_, index) => merge(index + 1)),
      }),
    );
    const db = sqliteUri();
    host.fault = (request) =>
      request.query.get('page') === '2' ? refusal(429, 'Too Many Requests', { 'retry-after': '600' }) : undefined;
    expect((await sync(options(host, db, { target: 'prs' }))).repositories[0]).toMatchObject({
      records: { git_pull_requests: 100, work_units: 100 },
      error: { code: 'rate_limited' },
    });
    host.fault = () => undefined;
    const finished = await sync(options(host, db, { target: 'prs' }));
    // The newest one is read again: others may have its time.
    expect(finished.repositories[0]?.records['git_pull_requests']).toBe(151);
    expect((await storedRows(db, onlyId(finished)))['git_pull_requests']).toHaveLength(250);
  });
});
