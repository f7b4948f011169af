import { expect, it } from 'vitest';
import type { AnyRow } from '../../src/sync/records.js';
import { tableNamed } from '../../src/sync/records.js';
import type { BlameLength, SinkPage, StateKey, TableRows } from '../../src/sync/sinks/sink.js';
import { describeOnEachDatabase } from './databases.js';
import { applyOnce, NOW, openDatabase, storedRows } from './harness.js';

const key: StateKey = { repoId: '0b7f6a2e-1111-8111-8111-000000000001', target: 'git', source: 'local' };
const everywhere = { org_id: 'acme', source: 'local', last_synced: NOW };

function page(
  tables: readonly TableRows[],
  changes: { revision?: string; blameLengths?: readonly BlameLength[] } = {},
): SinkPage {
  const state = { revision: changes.revision ?? 'r1', request: '{}', position: { tip: 'abc', count: 1 }, done: false };
  return { key, tables, blameLengths: changes.blameLengths ?? [], state };
}

function commit(hash: string, changes: Record<string, string | number | null> = {}): AnyRow {
  return {
    repo_id: key.repoId,
    hash,
    message: 'feat: a change',
    author_name: 'Ada',
    author_email: 'ada@example.com',
    author_when: NOW - 1001,
    committer_name: 'Ada',
    committer_email: null,
    committer_when: NOW,
    parents: 1,
    ...everywhere,
    ...changes,
  };
}

function stats(changes: Record<string, string | number | null>): AnyRow {
  return {
    repo_id: key.repoId,
    commit_hash: 'c1',
    file_path: 'a.ts',
    old_path: null,
    additions: 1,
    deletions: 2,
    old_file_mode: '100644',
    new_file_mode: '100755',
    ...everywhere,
    ...changes,
  };
}

function blame(line: number, path = 'a.ts'): AnyRow {
  return {
    repo_id: key.repoId,
    path,
    line_no: line,
    author_email: 'ada@example.com',
    author_name: 'Ada',
    author_when: NOW,
    commit_hash: 'c1',
    line: `line ${line}`,
    ...everywhere,
  };
}

function pullRequest(changes: Record<string, string | number | null | string[]>): AnyRow {
  return {
    repo_id: key.repoId,
    number: 7,
    title: 'A change',
    body: null,
    state: 'open',
    author_name: 'ada',
    author_email: null,
    created_at: NOW,
    updated_at: NOW,
    merged_at: null,
    closed_at: null,
    head_branch: null,
    base_branch: 'main',
    head_hash: null,
    merge_hash: null,
    commit_hashes: ['c1', 'c2'],
    labels: [],
    additions: null,
    deletions: null,
    changed_files: null,
    first_commit_at: null,
    first_review_at: null,
    first_comment_at: null,
    changes_requested_count: 0,
    reviews_count: 0,
    comments_count: 0,
    evidence: null,
    notes_read: null,
    ...everywhere,
    ...changes,
  };
}

const commits = tableNamed('git_commits');
const commitStats = tableNamed('git_commit_stats');
const blames = tableNamed('git_blame');
const requests = tableNamed('git_pull_requests');

describeOnEachDatabase('a sink', (engine) => {
  it('stores a page with its state, and reads both back', async () => {
    const uri = await engine.newDatabase();
    const sink = await openDatabase(uri);
    const stored = page([{ table: commits, rows: [commit('a'), commit('b')] }]);
    await sink.apply(stored);
    expect(await sink.readState(key)).toEqual(stored.state);
    expect(await storedRows(uri, key.repoId)).toMatchObject({
      git_commits: [{ hash: 'a', author_when: NOW - 1001 }, { hash: 'b' }],
    });
  });

  it('keeps texts exactly: quotes, newlines, backslashes, emoji', async () => {
    const uri = await engine.newDatabase();
    const sink = await openDatabase(uri);
    const message = `'"\\\n\t\r; drop table repos; -- \u{1F600} \\u0041 {a:1} \u0001`;
    await sink.apply(page([{ table: commits, rows: [commit('it\'s \\ "odd"\n', { message })] }]));
    expect(await storedRows(uri, key.repoId)).toMatchObject({ git_commits: [{ hash: 'it\'s \\ "odd"\n', message }] });
  });

  it('keeps text that looks like list syntax, and times to the millisecond from year 1 to 9999', async () => {
    const uri = await engine.newDatabase();
    const sink = await openDatabase(uri);
    const times = engine.kind === 'clickhouse' ? [NOW, NOW + 1] : [-62_135_596_800_000, 253_402_300_799_999, NOW + 1];
    const messages = ['', 'null', 'NULL', '{}', '{"a",b}', ',', ' x ', '\\N', '\\'];
    const rows = [
      ...messages.map((message, index) => commit(`m${index}`, { message, author_name: message })),
      ...times.map((time, index) => commit(`t${index}`, { author_when: time, author_name: null })),
    ];
    await sink.apply(page([{ table: commits, rows }]));
    const { git_commits: stored = [] } = await storedRows(uri, key.repoId);
    expect(stored.slice(0, messages.length).map((row) => row['message'])).toEqual(messages);
    expect(stored.slice(messages.length).map((row) => row['author_when'])).toEqual(times);
    expect(stored.map((row) => row['author_name'])).toEqual([...messages, ...times.map(() => null)]);
  });

  it('does not write a row again that would not change', async () => {
    const uri = await engine.newDatabase();
    const sink = await openDatabase(uri);
    await sink.apply(page([{ table: commits, rows: [commit('a'), commit('b')] }]));
    const later = [commit('a', { last_synced: NOW + 5000 }), commit('b', { last_synced: NOW + 5000, message: 'new' })];
    const other = await openDatabase(uri);
    await other.apply(page([{ table: commits, rows: later }]));
    const rows: AnyRow[] = [];
    for await (const batch of sink.scan(commits, key.repoId)) rows.push(...batch);
    expect(rows.map((row) => [row['hash'], row['last_synced']])).toEqual([
      ['a', NOW],
      ['b', NOW + 5000],
    ]);
  });

  it('keeps a file mode when a later source does not know it', async () => {
    const uri = await engine.newDatabase();
    await (await openDatabase(uri)).apply(page([{ table: commitStats, rows: [stats({})] }]));
    const fromHost = stats({ source: 'host_a', old_file_mode: null, new_file_mode: null, additions: null });
    await (await openDatabase(uri)).apply(page([{ table: commitStats, rows: [fromHost] }]));
    expect(await storedRows(uri, key.repoId)).toMatchObject({
      git_commit_stats: [{ source: 'host_a', old_file_mode: '100644', new_file_mode: '100755', additions: null }],
    });
  });

  it('does not replace a request reported by a host with one inferred from a clone', async () => {
    const uri = await engine.newDatabase();
    const reported = pullRequest({ source: 'host_a', title: 'As reported', labels: ['bug'] });
    await (await openDatabase(uri)).apply(page([{ table: requests, rows: [reported] }]));
    await (await openDatabase(uri)).apply(page([{ table: requests, rows: [pullRequest({ title: 'Inferred' })] }]));
    expect(await storedRows(uri, key.repoId)).toMatchObject({
      git_pull_requests: [{ title: 'As reported', labels: ['bug'], commit_hashes: ['c1', 'c2'] }],
    });
  });

  it('replaces a request inferred from a clone with one reported by a host', async () => {
    const uri = await engine.newDatabase();
    await (await openDatabase(uri)).apply(page([{ table: requests, rows: [pullRequest({ title: 'Inferred' })] }]));
    const reported = pullRequest({ source: 'host_a', title: 'As reported' });
    await (await openDatabase(uri)).apply(page([{ table: requests, rows: [reported] }]));
    expect(await storedRows(uri, key.repoId)).toMatchObject({ git_pull_requests: [{ title: 'As reported' }] });
  });

  it('collects all commits of a head, in any order of a clone and a host that reports few of them', async () => {
    const clone = pullRequest({
      head_hash: 'c3',
      merge_hash: 'm',
      commit_hashes: ['c3', 'c2', 'c1'],
      title: 'Inferred',
    });
    const host = pullRequest({ source: 'host_b', head_hash: 'c3', merge_hash: 'm', title: 'As reported' });
    for (const [told, known] of [
      [['c3'], ['c3', 'c2', 'c1']],
      [
        ['c3', 'a squash'],
        ['a squash', 'c1', 'c2', 'c3'],
      ],
    ]) {
      const reported = { ...host, commit_hashes: told ?? [] };
      for (const order of [
        [clone, reported],
        [reported, clone],
        [clone, reported, clone, reported],
      ]) {
        const uri = await engine.newDatabase();
        for (const row of order) await applyOnce(uri, page([{ table: requests, rows: [row] }]));
        expect(await storedRows(uri, key.repoId)).toEqual({
          git_pull_requests: [
            expect.objectContaining({ source: 'host_b', title: 'As reported', commit_hashes: known }),
          ],
        });
      }
    }
  });

  it('forgets the commits of an earlier head', async () => {
    const uri = await engine.newDatabase();
    const before = pullRequest({ source: 'host_b', head_hash: 'c2', commit_hashes: ['c1', 'c2'] });
    const after = { ...before, head_hash: 'c3', commit_hashes: ['c3'] };
    const late = pullRequest({ head_hash: 'c2', commit_hashes: ['c0', 'c1', 'c2'] });
    for (const row of [before, after, late])
      await (await openDatabase(uri)).apply(page([{ table: requests, rows: [row] }]));
    expect(await storedRows(uri, key.repoId)).toMatchObject({
      git_pull_requests: [{ source: 'host_b', head_hash: 'c3', commit_hashes: ['c3'] }],
    });
  });

  it('removes the blame beyond the current length of a file, and no other blame', async () => {
    const uri = await engine.newDatabase();
    const sink = await openDatabase(uri);
    await sink.apply(
      page([{ table: blames, rows: [blame(1), blame(2), blame(3), blame(1, 'b.ts'), blame(9, 'b.ts')] }]),
    );
    await sink.apply(page([], { blameLengths: [{ path: 'a.ts', lines: 1 }] }));
    const { git_blame: rows = [] } = await storedRows(uri, key.repoId);
    expect(rows.map((row) => [row['path'], row['line_no']])).toEqual([
      ['a.ts', 1],
      ['b.ts', 1],
      ['b.ts', 9],
    ]);
  });

  it('scans more rows than fit in one batch, each once', async () => {
    const uri = await engine.newDatabase();
    const sink = await openDatabase(uri);
    const hashes = Array.from({ length: 2500 }, (_, index) => String(index).padStart(40, '0'));
    await sink.apply(page([{ table: commits, rows: hashes.map((hash) => commit(hash)) }]));
    const { git_commits: rows = [] } = await storedRows(uri, key.repoId);
    expect(rows.map((row) => row['hash'])).toEqual(hashes);
  });

  it('clears one repository and keeps the others', async () => {
    const uri = await engine.newDatabase();
    const sink = await openDatabase(uri);
    const other = '0b7f6a2e-1111-8111-8111-000000000002';
    await sink.apply(page([{ table: commits, rows: [commit('a'), commit('a', { repo_id: other })] }]));
    await sink.clear(commits, key.repoId);
    expect(await storedRows(uri, key.repoId)).toEqual({});
    expect(await storedRows(uri, other)).toMatchObject({ git_commits: [{ hash: 'a' }] });
  });

  it('lists the repositories of one organization, ordered by id', async () => {
    const uri = await engine.newDatabase();
    const sink = await openDatabase(uri);
    const [first, second, other] = ['1', '2', '3'].map((digit) => `${key.repoId.slice(0, -1)}${digit}`);
    const named = { ref: null, url: null, default_branch: null, created_at: null, settings: {}, tags: [] };
    const rows = [
      { id: second ?? '', repo: 'acme/web', ...named, ...everywhere },
      { id: other ?? '', repo: 'acme/api', ...named, ...everywhere, org_id: 'other' },
      { id: first ?? '', repo: 'acme/api', ...named, ...everywhere },
    ];
    await sink.apply(page([{ table: tableNamed('repos'), rows }]));
    expect(await sink.repositories('acme')).toEqual([
      { id: first, name: 'acme/api' },
      { id: second, name: 'acme/web' },
    ]);
    expect(await sink.repositories('third')).toEqual([]);
  });

  it('creates its schema twice without an error, also at the same time', async () => {
    const uri = await engine.newDatabase();
    await Promise.all([openDatabase(uri), openDatabase(uri)]);
    await openDatabase(uri);
  });

  it.skipIf(engine.kind === 'clickhouse')(
    `gives a lock to one holder at a time${engine.kind === 'clickhouse' ? ' (skipped: ClickHouse has no locks)' : ''}`,
    async () => {
      const uri = await engine.newDatabase();
      const [first, second] = [await openDatabase(uri), await openDatabase(uri)];
      const lock = await first.tryLock(key);
      expect(lock).toBeDefined();
      expect(await second.tryLock(key)).toBeUndefined();
      expect(await second.tryLock({ ...key, target: 'prs' })).toBeDefined();
      await lock?.release();
      expect(await second.tryLock(key)).toBeDefined();
    },
  );
});
