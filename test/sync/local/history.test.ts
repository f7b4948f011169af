import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnyRow } from '../../../src/sync/records.js';
import { exitCodeOf } from '../../../src/sync/summary.js';
import { git, GIT_TEST_ENVIRONMENT, initRepository, writeHistory } from '../../support/git-history.js';
import { onlyId, sqliteUri, storedRows, sync, temporaryDirectory, testDependencies } from '../harness.js';

const ALL = { target: 'git', provider: 'local', since: '1970-01-01' } as const;

function repository(): string {
  const path = join(temporaryDirectory(), 'project');
  initRepository(path);
  return path;
}

function commit(path: string, message: string, ...args: string[]): string {
  git(path, 'add', '--all');
  git(path, 'commit', '--quiet', '--allow-empty', '--message', message, ...args);
  return git(path, 'rev-parse', 'HEAD').trim();
}

async function history(
  path: string,
  options: Record<string, string> = {},
): Promise<{ commits: readonly AnyRow[]; stats: readonly AnyRow[] }> {
  const db = sqliteUri();
  const summary = await sync({ ...ALL, db, repoPath: path, ...options });
  expect(summary.repositories[0]?.error).toBeNull();
  const stored = await storedRows(db, onlyId(summary));
  return { commits: stored['git_commits'] ?? [], stats: stored['git_commit_stats'] ?? [] };
}

describe('sync git of a clone', () => {
  it('counts additions and deletions per file, from the root commit on', async () => {
    const path = repository();
    writeFileSync(join(path, 'a.txt'), 'one\ntwo\n');
    const root = commit(path, 'first');
    writeFileSync(join(path, 'a.txt'), 'one\n2\nthree\n');
    const second = commit(path, 'second');
    const { commits, stats } = await history(path);
    expect(commits.map((row) => [row['hash'], row['parents']]).sort()).toEqual(
      [
        [root, 0],
        [second, 1],
      ].sort(),
    );
    expect(stats).toContainEqual(
      expect.objectContaining({
        commit_hash: root,
        additions: 2,
        deletions: 0,
        old_file_mode: '000000',
        new_file_mode: '100644',
      }),
    );
    expect(stats).toContainEqual(expect.objectContaining({ commit_hash: second, additions: 2, deletions: 1 }));
  });

  it('stores that a commit without files changed no lines, unless it is a merge or its files are not read', async () => {
    const path = repository();
    const root = commit(path, 'root');
    git(path, 'checkout', '--quiet', '-b', 'side');
    const side = commit(path, 'on the side');
    git(path, 'checkout', '--quiet', 'main');
    git(path, 'merge', '--quiet', '--no-ff', '-m', 'merge', 'side');
    const { stats } = await history(path);
    const none = { file_path: '__AGGREGATE__', additions: 0, deletions: 0, source: 'local' };
    expect(stats).toHaveLength(2);
    for (const hash of [root, side])
      expect(stats).toContainEqual(expect.objectContaining({ commit_hash: hash, ...none }));

    for (let number = 1; number <= 60; number += 1) commit(path, `feat: ${number}`);
    const latest = await history(path, { since: undefined as never });
    expect([latest.commits.length, latest.stats.length]).toEqual([63, 50]);
  });

  it('follows renames and notices modes and binary files', async () => {
    const path = repository();
    writeFileSync(join(path, 'old.txt'), 'a\nb\nc\nd\n');
    writeFileSync(join(path, 'image'), Buffer.from([0, 1, 2, 0]));
    commit(path, 'first');
    renameSync(join(path, 'old.txt'), join(path, 'new.txt'));
    chmodSync(join(path, 'new.txt'), 0o755);
    writeFileSync(join(path, 'image'), Buffer.from([0, 1, 3, 0]));
    const hash = commit(path, 'second');
    const { stats } = await history(path);
    expect(stats.filter((row) => row['commit_hash'] === hash)).toEqual([
      expect.objectContaining({ file_path: 'image', additions: null, deletions: null }),
      expect.objectContaining({
        file_path: 'new.txt',
        old_path: 'old.txt',
        additions: 0,
        deletions: 0,
        old_file_mode: '100644',
        new_file_mode: '100755',
      }),
    ]);
  });

  it('counts the changes of a merge with its commits, not with the merge again', async () => {
    const path = repository();
    commit(path, 'root');
    git(path, 'checkout', '--quiet', '-b', 'side');
    writeFileSync(join(path, 'side.txt'), 'x\n');
    const side = commit(path, 'side');
    git(path, 'checkout', '--quiet', 'main');
    writeFileSync(join(path, 'main.txt'), 'y\n');
    commit(path, 'main');
    git(path, 'merge', '--quiet', '--no-ff', '-m', 'merge', 'side');
    const merge = git(path, 'rev-parse', 'HEAD').trim();
    const { commits, stats } = await history(path);
    expect(commits).toContainEqual(expect.objectContaining({ hash: merge, parents: 2 }));
    expect(stats.map((row) => row['commit_hash'])).not.toContain(merge);
    expect(stats).toContainEqual(expect.objectContaining({ commit_hash: side, file_path: 'side.txt', additions: 1 }));
  });

  it('distinguishes hostile file names', async () => {
    const path = repository();
    const names = [
      'with space',
      'tab\there',
      'new\nline',
      '"quoted"',
      "it's",
      '-rf',
      '--help',
      ':(glob)*',
      'ünïcödé',
      '3\t4\tx',
      '\\back',
    ];
    for (const name of names) writeFileSync(join(path, name), 'x\n');
    execFileSync('sh', ['-c', 'printf "x\\n" > "$(printf "caf\\351")"'], { cwd: path, env: GIT_TEST_ENVIRONMENT });
    commit(path, 'names');
    const { stats } = await history(path);
    const expected = [...names.filter((name) => !name.startsWith('"')), '"\\"quoted\\""', '"caf\\351"'];
    expect(stats.map((row) => row['file_path']).sort()).toEqual(expected.sort());
  });

  it('reads messages and names in the encoding that the commit declares', async () => {
    const path = repository();
    writeFileSync(join(path, 'message'), Buffer.from('gr\xf6\xdfer\n', 'latin1'));
    git(
      path,
      '-c',
      'i18n.commitEncoding=ISO-8859-1',
      'commit',
      '--quiet',
      '--allow-empty',
      '--file',
      join(path, 'message'),
    );
    const { commits } = await history(path);
    expect(commits).toMatchObject([{ message: 'größer' }]);
  });

  it('finds nothing in an empty repository, without failing', async () => {
    expect(await history(repository())).toEqual({ commits: [], stats: [] });
  });

  it('reads a bare clone as it reads its source', async () => {
    const path = repository();
    writeFileSync(join(path, 'a.txt'), 'one\n');
    commit(path, 'first');
    const bare = join(temporaryDirectory(), 'bare.git');
    git(path, 'clone', '--quiet', '--bare', path, bare);
    expect(await history(bare)).toEqual(await history(path));
  });

  it('does not attribute all files to the oldest commits of a shallow clone', async () => {
    const path = repository();
    writeFileSync(join(path, 'a.txt'), 'one\n');
    commit(path, 'first');
    for (const text of ['two\n', 'three\n']) {
      appendFileSync(join(path, 'a.txt'), text);
      commit(path, text);
    }
    const shallow = join(temporaryDirectory(), 'shallow');
    git(path, 'clone', '--quiet', '--depth=2', `file://${path}`, shallow);
    const { commits, stats } = await history(shallow);
    expect(commits.map((row) => row['parents'])).toEqual([1, 1]);
    expect(stats).toMatchObject([{ additions: 1, deletions: 0 }]);
  });

  it('reads everything after the shallow clone is made complete', async () => {
    const path = repository();
    for (const text of ['one', 'two', 'three']) {
      writeFileSync(join(path, 'a.txt'), `${text}\n`);
      commit(path, text);
    }
    const shallow = join(temporaryDirectory(), 'shallow');
    git(path, 'clone', '--quiet', '--depth=1', `file://${path}`, shallow);
    const db = sqliteUri();
    await sync({ ...ALL, db, repoPath: shallow });
    git(shallow, 'fetch', '--quiet', '--unshallow');
    const summary = await sync({ ...ALL, db, repoPath: shallow });
    const stored = await storedRows(db, onlyId(summary));
    expect([stored['git_commits']?.length, stored['git_commit_stats']?.length]).toEqual([3, 3]);
  });

  it('takes the 100 most recent commits and the statistics of the last 50 by default', async () => {
    const path = repository();
    await writeHistory(path, 103);
    const recent = git(path, 'log', '--format=%H', 'main').trim().split('\n');
    const seen = async (options: Record<string, string>): Promise<unknown> => {
      const { commits, stats } = await history(path, { since: undefined as never, ...options });
      return [commits.map((row) => row['hash']), [...new Set(stats.map((row) => row['commit_hash']))]];
    };
    expect(await seen({})).toEqual([recent.slice(0, 100).sort(), recent.slice(0, 50).sort()]);
    expect(await seen({ maxCommitsPerRepo: '102' })).toEqual([
      recent.slice(0, 102).sort(),
      recent.slice(0, 102).sort(),
    ]);
  });

  it('filters by committer date even where the dates are out of order', async () => {
    const path = repository();
    const at = (date: string, message: string): void => {
      execFileSync('git', ['-C', path, 'commit', '--quiet', '--allow-empty', '-m', message], {
        env: { ...GIT_TEST_ENVIRONMENT, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: '2001-01-01T00:00:00Z' },
      });
    };
    at('2024-02-28T23:59:59Z', 'before');
    at('2024-02-29T00:00:00Z', 'first');
    for (let day = 1; day <= 8; day += 1) at('2020-01-01T00:00:00Z', `old ${day}`);
    at('2024-03-01T23:59:59Z', 'last');
    at('2024-03-02T00:00:00Z', 'after');
    const { commits } = await history(path, { since: undefined as never, date: '2024-03-01', backfill: '2' });
    expect(commits.map((row) => row['message']).sort()).toEqual(['first', 'last']);
  });

  it('adds only new commits the next time, and changes nothing without new ones', async () => {
    const path = repository();
    commit(path, 'first');
    const db = sqliteUri();
    const first = await sync({ ...ALL, db, repoPath: path });
    const stored = await storedRows(db, onlyId(first));
    const again = await sync({ ...ALL, db, repoPath: path });
    expect(again.repositories[0]?.records).toEqual({ repos: 1 });
    expect(await storedRows(db, onlyId(first))).toEqual(stored);
    commit(path, 'second');
    const third = await sync({ ...ALL, db, repoPath: path });
    expect(third.repositories[0]?.records).toEqual({ repos: 1, git_commits: 1, git_commit_stats: 1, work_units: 1 });
  });

  it('stores a commit with very many files without holding it in memory', async () => {
    const path = repository();
    mkdirSync(join(path, 'many'));
    for (let number = 0; number < 600; number += 1) writeFileSync(join(path, 'many', `${number}`), 'x\n');
    commit(path, 'import');
    writeFileSync(join(path, 'many', '0'), '');
    commit(path, 'next');
    const db = sqliteUri();
    const pages: number[] = [];
    const progress = {
      pageStored: (event: { records: { git_commit_stats?: number } }) =>
        pages.push(event.records.git_commit_stats ?? 0),
    };
    const summary = await sync({ ...ALL, db, repoPath: path }, testDependencies({ progress }), { BATCH_SIZE: '5' });
    expect(pages).toEqual([250, 500, 601, 601]);
    expect((await storedRows(db, onlyId(summary)))['git_commits']).toHaveLength(2);
  });
});

describe('reading a clone', () => {
  it('is not affected by GIT_* variables or by settings of the repository', async () => {
    const [path, other] = [repository(), repository()];
    const hash = commit(path, 'mine');
    commit(other, 'not mine');
    for (const setting of [
      ['diff.external', 'false'],
      ['core.pager', 'false'],
      ['log.showSignature', 'true'],
      ['format.pretty', 'oneline'],
      ['core.fsmonitor', 'false'],
      ['diff.renames', 'false'],
      ['log.follow', 'true'],
    ]) {
      git(path, 'config', setting[0] ?? '', setting[1] ?? '');
    }
    const environment = {
      ...GIT_TEST_ENVIRONMENT,
      GIT_DIR: join(other, '.git'),
      GIT_PAGER: 'false',
      GIT_EXTERNAL_DIFF: 'false',
      LC_ALL: 'de_DE.UTF-8',
    };
    const db = sqliteUri();
    const summary = await sync({ ...ALL, db, repoPath: path }, testDependencies({ environment }));
    expect(await storedRows(db, onlyId(summary))).toMatchObject({ git_commits: [{ hash }] });
  });

  it('treats a path that looks like an option as a path', async () => {
    const path = join(temporaryDirectory(), '--upload-pack=false');
    mkdirSync(path);
    execFileSync('git', ['init', '--quiet'], { cwd: path, env: GIT_TEST_ENVIRONMENT });
    commit(path, 'inside');
    expect((await history(path)).commits).toHaveLength(1);
  });

  it.each([
    ['a directory without a repository', () => temporaryDirectory(), /is not a git repository/],
    ['a path that does not exist', () => '/nonexistent/path', /does not exist/],
  ])('fails, with exit code 1, for %s', async (_name, path, message) => {
    const summary = await sync({ ...ALL, db: sqliteUri(), repoPath: path() });
    expect(summary.repositories).toMatchObject([
      { status: 'failed', error: { code: 'repository_unreadable', message: expect.stringMatching(message) as string } },
    ]);
    expect(exitCodeOf(summary)).toBe(1);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'gives the remedy for a clone that belongs to another user (needs root to make one)',
    async () => {
      const path = repository();
      commit(path, 'theirs');
      execFileSync('chown', ['-R', '65534:65534', path]);
      const summary = await sync({ ...ALL, db: sqliteUri(), repoPath: path });
      expect(summary.repositories[0]?.error?.message).toContain('git config --global --add safe.directory');
    },
  );
});
