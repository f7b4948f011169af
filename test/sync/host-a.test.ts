import { describe, expect, it } from 'vitest';
import { repositoryId } from '../../src/sync/identity.js';
import type { AnyRow } from '../../src/sync/records.js';
import { exitCodeOf } from '../../src/sync/summary.js';
import type { HostA } from '../support/hosts/host-a.js';
import { hostARepository, problem } from '../support/hosts/host-a.js';
import { NOW, noted, onlyId, sqliteUri, storedRows, sync } from './harness.js';
import { commits, host, options, pullRequest } from './host-a-fixture.js';
import { unitsIn } from './work-units/stored-units.js';

async function rowsOf(started: HostA, target: string, table: string): Promise<readonly AnyRow[]> {
  const db = sqliteUri();
  const summary = await sync(options(started, db, { target }));
  expect(summary.repositories[0]?.error).toBeNull();
  return (await storedRows(db, onlyId(summary)))[table] ?? [];
}

describe('sync from host_a', () => {
  it('stores the repository, its 100 most recent commits, and the files of the last 50', async () => {
    const started = await host(hostARepository('acme/widgets', { commits: commits(130) }));
    const db = sqliteUri();
    const summary = await sync(options(started, db));
    expect(summary).toEqual({
      target: 'git',
      provider: 'host_a',
      org_id: 'default',
      repositories: [
        {
          id: repositoryId('default', 'host-a.test/acme/widgets'),
          name: 'acme/widgets',
          status: 'ok',
          records: { repos: 1, git_commits: 100, git_commit_stats: 50, work_units: 100 },
          notes: ['only the latest 100 commits are read; changed files are read of the latest 50 commits only'],
          error: null,
        },
      ],
      duration_ms: 0,
    });
    const stored = await storedRows(db, onlyId(summary));
    expect(stored['repos']).toMatchObject([
      {
        repo: 'acme/widgets',
        url: 'https://host-a.test/acme/widgets',
        default_branch: 'main',
        source: 'host_a',
        org_id: 'default',
      },
    ]);
    expect(stored['git_commits']?.at(-1)).toMatchObject({
      hash: '130'.padStart(40, '0'),
      author_email: 'ada@example.com',
      parents: 1,
    });
    expect(stored['git_commit_stats']?.[0]).toMatchObject({
      commit_hash: '81'.padStart(40, '0'),
      file_path: 'src/a.ts',
      additions: 49,
    });
  });

  it('knows that a commit without files changed nothing, unlike one whose statistics are not read', async () => {
    const history = commits(51).map((commit, index) => (index === 1 ? { ...commit, files: [] } : commit));
    const started = await host(hostARepository('acme/widgets', { commits: history }));
    const db = sqliteUri();
    const repoId = onlyId(await sync(options(started, db)));
    const churn = new Map((await unitsIn(db, repoId)).map(({ id, churnLoc }) => [id.slice(-40), churnLoc]));
    expect([history[0], history[1], history[50]].map((commit) => churn.get(commit?.sha ?? ''))).toEqual([
      expect.any(Number),
      0,
      null,
    ]);
  });

  it('requests only CODEOWNERS and the head when nothing is new', async () => {
    const started = await host(hostARepository('acme/widgets', { commits: commits(3) }));
    const db = sqliteUri();
    const first = await storedRows(db, onlyId(await sync(options(started, db))));
    started.requests.length = 0;
    const again = await sync(options(started, db));
    expect(started.requests.map(({ path }) => path)).toEqual([
      '/repos/acme/widgets',
      '/graphql',
      '/repos/acme/widgets/commits',
    ]);
    expect(await storedRows(db, onlyId(again))).toEqual(first);
  });

  it('treats an empty repository as one without commits', async () => {
    const started = await host(hostARepository('acme/widgets'));
    expect(await rowsOf(started, 'git', 'git_commits')).toEqual([]);
    expect(await rowsOf(started, 'blame', 'git_blame')).toEqual([]);
  });

  it('stores requests with reviews, over pages, and later only what was updated', async () => {
    const reviews = {
      totalCount: 2,
      nodes: [
        {
          databaseId: 91,
          state: 'CHANGES_REQUESTED',
          submittedAt: '2026-01-02T00:00:00Z',
          author: { login: 'grace' },
        },
        { databaseId: 92, state: 'APPROVED', submittedAt: '2026-01-03T00:00:00Z', author: null },
        { databaseId: 93, state: 'PENDING', submittedAt: null, author: { login: 'ada' } },
      ],
    };
    const merged = {
      state: 'MERGED',
      mergedAt: '2026-01-04T00:00:00Z',
      closedAt: '2026-01-04T00:00:00Z',
      mergeCommit: { oid: 'b'.repeat(40) },
      reviews,
      author: null,
    };
    const all = Array.from({ length: 60 }, (_, index) => pullRequest(index + 1, index === 0 ? merged : {}));
    const repository = hostARepository('acme/widgets', { pullRequests: all });
    const started = await host(repository);
    const db = sqliteUri();
    const summary = await sync(options(started, db, { target: 'prs' }));
    expect(summary.repositories[0]?.records).toEqual({
      repos: 1,
      git_pull_requests: 60,
      git_pull_request_reviews: 2,
      work_units: 60,
    });
    const stored = await storedRows(db, onlyId(summary));
    expect(stored['git_pull_requests']?.[0]).toMatchObject({
      number: 1,
      state: 'merged',
      author_name: null,
      merged_at: Date.parse('2026-01-04T00:00:00Z'),
      merge_hash: 'b'.repeat(40),
      first_review_at: Date.parse('2026-01-02T00:00:00Z'),
      changes_requested_count: 1,
      reviews_count: 2,
      labels: ['bug'],
      additions: 3,
    });
    expect(stored['git_pull_request_reviews']).toMatchObject([
      { review_id: '91', reviewer: 'grace' },
      { review_id: '92', reviewer: 'ghost', state: 'APPROVED' },
    ]);
    repository.pullRequests.unshift(pullRequest(61, { updatedAt: new Date(NOW).toISOString() }));
    started.requests.length = 0;
    const second = await sync(options(started, db, { target: 'prs' }));
    expect(second.repositories[0]?.records['git_pull_requests']).toBe(2);
    const pages = started.requests.filter(({ body }) => body.includes('pullRequests'));
    expect(pages).toHaveLength(1);
  });

  it('marks the requests of bots, whose logins have no suffix in GraphQL', async () => {
    const request = pullRequest(1, { author: { login: 'own-app', isBot: true } });
    const started = await host(hostARepository('acme/widgets', { pullRequests: [request] }));
    expect(await rowsOf(started, 'prs', 'git_pull_requests')).toMatchObject([{ author_name: 'own-app[bot]' }]);
  });

  it('stores all commits of a request that has more than a page of them', async () => {
    const hashes = Array.from({ length: 230 }, (_, index) => String(index).padStart(40, '0'));
    const long = pullRequest(1, { commits: { nodes: hashes.map((oid) => ({ commit: { oid } })) } });
    const started = await host(hostARepository('acme/widgets', { pullRequests: [long, pullRequest(2)] }));
    expect(await rowsOf(started, 'prs', 'git_pull_requests')).toMatchObject([
      { number: 1, commit_hashes: hashes },
      { number: 2, commit_hashes: ['a'.repeat(40)] },
    ]);
  });

  it('stores runs, and requests an unfinished one again', async () => {
    const run = (id: number, changes: object) => ({
      id,
      created_at: '2026-01-01T00:00:00Z',
      run_started_at: '2026-01-01T00:01:00Z',
      updated_at: '2026-01-01T00:09:00Z',
      ...changes,
    });
    const repository = hostARepository('acme/widgets', {
      runs: [
        run(2, { status: 'in_progress', conclusion: null, created_at: '2026-01-02T00:00:00Z' }),
        run(1, { status: 'completed', conclusion: 'success' }),
      ],
    });
    const started = await host(repository);
    const db = sqliteUri();
    const summary = await sync(options(started, db, { target: 'cicd' }));
    expect((await storedRows(db, onlyId(summary)))['ci_pipeline_runs']).toMatchObject([
      {
        run_id: '1',
        status: 'success',
        queued_at: Date.parse('2026-01-01T00:00:00Z'),
        started_at: Date.parse('2026-01-01T00:01:00Z'),
        finished_at: Date.parse('2026-01-01T00:09:00Z'),
      },
      { run_id: '2', status: 'in_progress', finished_at: null },
    ]);
    repository.runs.unshift(run(3, { status: 'completed', conclusion: 'failure', created_at: '2026-01-03T00:00:00Z' }));
    Object.assign(repository.runs[1] ?? {}, { status: 'completed', conclusion: 'cancelled' });
    await sync(options(started, db, { target: 'cicd' }));
    expect((await storedRows(db, onlyId(summary)))['ci_pipeline_runs']?.map((row) => row['status'])).toEqual([
      'success',
      'cancelled',
      'failure',
    ]);
  });

  it('stores deployments with their states', async () => {
    const deployment = {
      databaseId: 5,
      environment: 'production',
      createdAt: '2026-01-01T00:00:00Z',
      creator: { login: 'ada' },
      ref: { name: 'v1.2.3' },
      statuses: [{ state: 'SUCCESS', createdAt: '2026-01-01T00:05:00Z' }],
      commit: {
        oid: 'a'.repeat(40),
        committedDate: '2025-12-31T00:00:01Z',
        associatedPullRequests: {
          nodes: [{ number: 7, mergedAt: '2025-12-31T00:00:00Z' }],
          pageInfo: { hasNextPage: false },
        },
      },
    };
    const started = await host(hostARepository('acme/widgets', { deployments: [deployment] }));
    expect(await rowsOf(started, 'deployments', 'deployments')).toMatchObject([
      {
        deployment_id: '5',
        status: 'success',
        environment: 'production',
        author_name: 'ada',
        deployed_at: Date.parse('2026-01-01T00:05:00Z'),
        pull_request_number: 7,
        release_ref: 'v1.2.3',
        commit_hash: 'a'.repeat(40),
        committed_at: Date.parse('2025-12-31T00:00:01Z'),
      },
    ]);
  });

  it('stores issues labelled incident, but no pull requests', async () => {
    const issue = {
      number: 3,
      title: 'Down',
      state: 'closed',
      labels: [{ name: 'incident' }, 'sev1'],
      created_at: '2026-01-01T00:00:00Z',
      closed_at: '2026-01-01T02:00:00Z',
      updated_at: '2026-01-01T02:00:00Z',
    };
    const pull = {
      url: 'https://host-a.test/p',
      html_url: 'https://host-a.test/p',
      diff_url: 'https://host-a.test/p',
      patch_url: 'https://host-a.test/p',
    };
    const started = await host(
      hostARepository('acme/widgets', { issues: [issue, { ...issue, number: 4, pull_request: pull }] }),
    );
    expect(await rowsOf(started, 'incidents', 'incidents')).toMatchObject([
      {
        incident_id: '3',
        title: 'Down',
        status: 'closed',
        labels: ['incident', 'sev1'],
        resolved_at: Date.parse('2026-01-01T02:00:00Z'),
      },
    ]);
    expect(started.requests.at(-1)?.query.get('labels')).toBe('incident');
  });

  it('replaces characters that no database can store', async () => {
    const issue = { number: 1, title: 'a\u0000b \ud800 c \u{1F600}', labels: ['x\u0000'] };
    const rows = await rowsOf(
      await host(hostARepository('acme/widgets', { issues: [issue] })),
      'incidents',
      'incidents',
    );
    expect(rows).toMatchObject([{ title: 'a\ufffdb \ufffd c \u{1F600}', labels: ['x\ufffd'] }]);
  });

  it('stores blame, and removes that of files that are gone', async () => {
    const repository = hostARepository('acme/widgets', {
      commits: commits(2),
      files: {
        'a.ts': [
          { startingLine: 1, endingLine: 2, sha: '1'.padStart(40, '0') },
          { startingLine: 3, endingLine: 3, sha: '2'.padStart(40, '0') },
        ],
        'b.ts': [{ startingLine: 1, endingLine: 1, sha: '1'.padStart(40, '0') }],
        'logo.png': [],
      },
    });
    const started = await host(repository);
    const db = sqliteUri();
    const summary = await sync(options(started, db, { target: 'blame' }));
    expect(
      (await storedRows(db, onlyId(summary)))['git_blame']?.map((row) => [row['path'], row['line_no'], row['line']]),
    ).toEqual([
      ['a.ts', 1, null],
      ['a.ts', 2, null],
      ['a.ts', 3, null],
      ['b.ts', 1, null],
    ]);
    repository.commits = commits(3);
    repository.files = { 'a.ts': [{ startingLine: 1, endingLine: 1, sha: '3'.padStart(40, '0') }] };
    await sync(options(started, db, { target: 'blame' }));
    expect((await storedRows(db, onlyId(summary)))['git_blame']?.map((row) => [row['path'], row['line_no']])).toEqual([
      ['a.ts', 1],
    ]);
  });

  it('skips a file without blame, keeps what was stored of it, and names it in a note', async () => {
    const blame = [{ startingLine: 1, endingLine: 2, sha: '1'.padStart(40, '0') }];
    const files = { 'big.sql': blame, 'small.ts': blame };
    const repository = hostARepository('acme/widgets', { commits: commits(1), files });
    const started = await host(repository);
    const db = sqliteUri();
    await sync(options(started, db, { target: 'blame' }));
    repository.commits = commits(2);
    const range = {
      startingLine: 1,
      endingLine: 1,
      commit: { oid: '2'.padStart(40, '0'), author: { name: 'Ada', email: 'ada@example.com', date: null } },
    };
    const object = { file0: null, file1: { ranges: [range] } };
    started.fault = ({ body }) =>
      body.includes('on Blame') ? { status: 200, body: { data: { repository: { object } } } } : undefined;
    const { notes, dependencies } = noted();
    const summary = await sync(options(started, db, { target: 'blame' }), dependencies);
    expect(notes).toEqual([
      'acme/widgets (blame): skipped big.sql: the host returned no blame; the next commit is another try',
    ]);
    expect((await storedRows(db, onlyId(summary)))['git_blame']?.map((row) => [row['path'], row['line_no']])).toEqual([
      ['big.sql', 1],
      ['big.sql', 2],
      ['small.ts', 1],
    ]);
  });

  it('reports with each sync how many files blame omits, and reads no others', async () => {
    const blame = [{ startingLine: 1, endingLine: 1, sha: '1'.padStart(40, '0') }];
    const paths = Array.from({ length: 501 }, (_, index) => `src/${index}.ts`);
    const files = Object.fromEntries(paths.map((path) => [path, blame]));
    const started = await host(hostARepository('acme/widgets', { commits: commits(1), files }));
    const db = sqliteUri();
    for (const records of [{ repos: 1, git_blame: 500 }, { repos: 1 }]) {
      const { notes, dependencies } = noted();
      const summary = await sync(options(started, db, { target: 'blame' }), dependencies);
      expect(summary.repositories[0]?.records).toEqual(records);
      expect(notes).toEqual(['acme/widgets (blame): only 500 files are read']);
    }
  });

  it('reports how many entries the host hides from the token, over all pages', async () => {
    const shown = Array.from({ length: 60 }, (_, index) => ({
      databaseId: index + 1,
      environment: 'production',
      createdAt: new Date(NOW - index * 60_000).toISOString(),
      state: 'PENDING',
      creator: { login: 'ada' },
      commit: null,
    }));
    const deployments = [null, ...shown, null];
    const started = await host(hostARepository('acme/widgets', { commits: commits(1), deployments }));
    const { notes, dependencies } = noted();
    const summary = await sync(options(started, sqliteUri(), { target: 'deployments' }), dependencies);
    expect(summary.repositories[0]).toMatchObject({ error: null, records: { deployments: 60 } });
    expect(notes).toEqual(['acme/widgets (deployments): the host hides 2 entries from the token']);
  });

  it('syncs the repositories of an organization or user that match a pattern, over pages', async () => {
    const names = [
      ...Array.from({ length: 35 }, (_, index) => `acme/api-${index}`),
      'acme/web',
      'acme/API-upper',
      'user1/api-x',
    ];
    const started = await host(...names.map((name) => hostARepository(name)));
    const batch = {
      target: 'git',
      provider: 'host_a',
      db: sqliteUri(),
      hostAUrl: started.url,
      auth: started.token,
      search: 'acme/api-*',
    };
    const summary = await sync(batch);
    expect(summary.repositories).toHaveLength(36);
    expect(summary.repositories.map(({ name }) => name)).not.toContain('acme/web');
    const users = await sync({ ...batch, search: '*', group: 'user1', db: sqliteUri() });
    expect(users.repositories.map(({ name }) => name)).toEqual(['user1/api-x']);
  });

  it('continues with the others when one repository fails, and exits with 3', async () => {
    const started = await host(
      ...['acme/one', 'acme/two', 'acme/three'].map((name) => hostARepository(name, { commits: commits(2) })),
    );
    started.fault = (request) =>
      request.path === '/repos/acme/two/commits'
        ? problem(403, 'Resource not accessible by personal access token')
        : undefined;
    const summary = await sync({
      target: 'git',
      provider: 'host_a',
      db: sqliteUri(),
      hostAUrl: started.url,
      auth: started.token,
      search: 'acme/*',
    });
    expect(summary.repositories.map(({ name, status, error }) => [name, status, error?.code ?? null])).toEqual([
      ['acme/one', 'ok', null],
      ['acme/three', 'ok', null],
      ['acme/two', 'failed', 'unauthorized'],
    ]);
    expect(exitCodeOf(summary)).toBe(3);
  });
});
