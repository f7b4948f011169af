import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AnyRow } from '../../../src/sync/records.js';
import { git, GIT_TEST_ENVIRONMENT, initRepository } from '../../support/git-history.js';
import { onlyId, sqliteUri, storedRows, sync, temporaryDirectory } from '../harness.js';

function repository(): string {
  const path = join(temporaryDirectory(), 'project');
  initRepository(path);
  return path;
}

function commit(path: string, author = 'Ada <ada@example.com>'): string {
  git(path, 'add', '--all');
  git(path, 'commit', '--quiet', '--message', 'change', '--author', author);
  return git(path, 'rev-parse', 'HEAD').trim();
}

async function blame(path: string, db = sqliteUri(), environment = {}): Promise<readonly AnyRow[]> {
  const summary = await sync({ target: 'blame', provider: 'local', db, repoPath: path }, undefined, environment);
  expect(summary.repositories[0]?.error).toBeNull();
  return (await storedRows(db, onlyId(summary)))['git_blame'] ?? [];
}

it('names the last author of each line', async () => {
  const path = repository();
  writeFileSync(join(path, 'a.txt'), 'one\ntwo\r\nthree');
  const first = commit(path);
  writeFileSync(join(path, 'a.txt'), 'one\n2\nthree');
  const second = commit(path, 'Grace <grace@example.com>');
  expect(await blame(path)).toMatchObject([
    { path: 'a.txt', line_no: 1, line: 'one', author_name: 'Ada', author_email: 'ada@example.com', commit_hash: first },
    { path: 'a.txt', line_no: 2, line: '2', author_name: 'Grace', commit_hash: second },
    { path: 'a.txt', line_no: 3, line: 'three', commit_hash: first },
  ]);
});

it('leaves out binary and vendored files, symbolic links and empty files', async () => {
  const path = repository();
  mkdirSync(join(path, 'node_modules'));
  writeFileSync(join(path, 'node_modules/index.js'), 'x\n');
  writeFileSync(join(path, 'photo.PNG'), 'text in disguise\n');
  writeFileSync(join(path, 'data'), Buffer.from([1, 0, 2, 10]));
  writeFileSync(join(path, 'empty'), '');
  writeFileSync(join(path, 'kept'), 'x\n');
  symlinkSync('kept', join(path, 'link'));
  commit(path);
  expect((await blame(path)).map((row) => row['path'])).toEqual(['kept']);
});

it('reads files of any name', async () => {
  const path = repository();
  const names = ['-x', '--', 'new\nline', 'end\n', ':(top)x', '3\t4\tx', ' '];
  for (const name of names) writeFileSync(join(path, name), 'x\n');
  execFileSync('sh', ['-c', 'printf "x\\n" > "$(printf "caf\\351")"'], { cwd: path, env: GIT_TEST_ENVIRONMENT });
  commit(path);
  expect((await blame(path)).map((row) => row['path']).sort()).toEqual([...names, '"caf\\351"'].sort());
});

it('reads changed files again, and removes the lines and files that are gone', async () => {
  const path = repository();
  for (const name of ['gone', 'same', 'shorter']) writeFileSync(join(path, name), 'one\ntwo\nthree\n');
  commit(path);
  const db = sqliteUri();
  expect(await blame(path, db)).toHaveLength(9);
  rmSync(join(path, 'gone'));
  writeFileSync(join(path, 'shorter'), 'one\n');
  commit(path);
  const rows = await blame(path, db);
  expect(rows.map((row) => [row['path'], row['line_no']])).toEqual([
    ['same', 1],
    ['same', 2],
    ['same', 3],
    ['shorter', 1],
  ]);
});

it('reads lines, authors and titles that look like parts of the output of git blame', async () => {
  const path = repository();
  const hash = '0123456789'.repeat(4);
  const lines = [
    `${hash} 1 1`,
    '\tauthor Mallory',
    'author Mallory',
    'author-mail <m@example.com>',
    'a\rb\u2028c',
    '',
    '\t',
  ];
  writeFileSync(join(path, 'filename x'), lines.map((line) => `${line}\n`).join(''));
  git(path, 'add', '--all');
  git(path, 'commit', '--quiet', '--message', `author Mallory\n\n${hash} 1 1`, '--author', 'author-mail\t1 <a@b>');
  const rows = await blame(path);
  expect(rows.map((row) => [row['line_no'], row['line']])).toEqual(lines.map((line, index) => [index + 1, line]));
  for (const row of rows) expect(row).toMatchObject({ author_name: 'author-mail\t1', author_email: 'a@b' });
});

it('reads files whose names look like entries of a list of changes', async () => {
  const path = repository();
  const names = [':100644 100644 aaaa bbbb M', ':000000 120000 0 0 A', '-\t-\tx', '1\t1\t', '\u0001x', 'a\nb'];
  for (const name of names) writeFileSync(join(path, name), 'x\n');
  commit(path);
  expect((await blame(path)).map((row) => row['path']).sort()).toEqual([...names].sort());
});

it('stores a long file in parts', async () => {
  const path = repository();
  writeFileSync(join(path, 'long'), 'x\n'.repeat(50));
  commit(path);
  expect(await blame(path, sqliteUri(), { BATCH_SIZE: '1' })).toHaveLength(50);
});
