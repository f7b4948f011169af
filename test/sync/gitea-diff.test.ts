import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { changedFiles } from '../../src/sync/providers/gitea/diff.js';
import { GIT_TEST_ENVIRONMENT } from '../support/git-history.js';
import { temporaryDirectory } from './harness.js';

test('The changed files of a diff are those that git counts', () => {
  const folder = temporaryDirectory();
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: folder, env: { ...process.env, ...GIT_TEST_ENVIRONMENT }, encoding: 'utf8' });
  const write = (path: string, text: string | Buffer): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const long = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join('');
  git('init', '--quiet', '--initial-branch=main');
  write('moved from.txt', long);
  write('gone.txt', 'a\nb\n');
  write('changed.txt', `${long}-- a comment\n`);
  write('mode b/mode.sh', 'true\n');
  write('image.bin', Buffer.from([0, 1, 2]));
  git('add', '.');
  git('commit', '--quiet', '--message=one');
  git('rm', '--quiet', 'gone.txt');
  git('mv', 'moved from.txt', 'moved to.txt');
  // A line of these begins like the head of a file, and has no newline at the end of the last.
  write('changed.txt', `++ b/other.txt\n${long}@@ -1 +1 @@`);
  write('moved to.txt', `${long}more\n`);
  write('image.bin', Buffer.from([0, 3]));
  write('empty.txt', '');
  write('a "quote" and\ttab ä.txt', 'x\n');
  chmodSync(join(folder, 'mode b/mode.sh'), 0o755);
  git('add', '.');
  git('commit', '--quiet', '--message=two');
  const diff = git('-c', 'core.quotePath=false', 'show', '--pretty=format:', '-M', 'HEAD');
  const counted = git('show', '--pretty=format:', '--numstat', '-z', '-M', 'HEAD').split('\0').filter(Boolean);
  const expected = [];
  for (let index = 0; index < counted.length; index += 1) {
    const [added = '', deleted = '', path = ''] = (counted[index] ?? '').split('\t', 3);
    const name = (counted[index] ?? '').slice(added.length + deleted.length + 2);
    const isMoved = path === '';
    expected.push({
      path: isMoved ? counted[index + 2] : name,
      oldPath: isMoved ? counted[index + 1] : null,
      additions: added === '-' ? null : Number(added),
      deletions: deleted === '-' ? null : Number(deleted),
    });
    if (isMoved) index += 2;
  }
  expect(expected).toHaveLength(7);
  expect(changedFiles(diff)).toEqual(expected);
});
