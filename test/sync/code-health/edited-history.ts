/** A history of edits of few files, in which every line is unique, so that git can tell which lines are young. */
import { execFileSync } from 'node:child_process';
import { git, GIT_TEST_ENVIRONMENT, initRepository } from '../../support/git-history.js';

const DAY = 86_400_000;
export const FIRST = Date.UTC(2025, 7, 1, 8);
const FILES = ['README.md', 'src/main.ts', 'src/api/routes.ts', 'src/api/v1/users.ts', 'docs/guide.md'];
const PEOPLE = ['ada', 'grace', 'linus', 'renovate[bot]'];

/** The author is one of them at times, and assistants and bots are not people. */
const PAIRS = [
  ...['ada <ada@example.com>', 'kim <kim@example.com>', 'Claude <noreply@anthropic.com>'],
  'renovate[bot] <renovate[bot]@example.com>',
].map((name) => `Co-authored-by: ${name}`);

/** One commit a day, more or less, for about four months. */
export function writeEdits(directory: string, commits: number): void {
  initRepository(directory);
  const random = sequence(7);
  const contents = new Map<string, string[]>(FILES.map((path) => [path, []]));
  let at = FIRST;
  const all = Array.from({ length: commits }, (_, number) => {
    at += Math.floor((0.2 + random(20) / 10) * DAY);
    const changed = new Set([FILES[random(FILES.length)] ?? '', FILES[random(2)] ?? '']);
    const files = [...changed].map((path) => {
      const lines = contents.get(path) ?? [];
      lines.splice(random(lines.length + 1), random(4)); // delete some in one place, and add some in another one
      const added = Array.from({ length: 1 + random(4) }, (_line, index) => `${path} ${number} ${index}`);
      lines.splice(random(lines.length + 1), 0, ...added);
      const text = `${lines.join('\n')}\n`;
      return `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    });
    const person = PEOPLE[random(10) % 7] ?? 'ada';
    const author = `${person} <${person}@example.com> ${Math.floor(at / 1000)} +0000`;
    const pairs = number % 3 === 0 ? `\n${PAIRS.join('\n')}\n` : '';
    const message = `Edit.\n${pairs}`;
    return `commit refs/heads/main\nauthor ${author}\ncommitter ${author}\ndata ${message.length}\n${message}\n${files.join('')}\n`;
  });
  const command = ['-C', directory, 'fast-import', '--quiet'];
  execFileSync('git', command, { input: all.join(''), env: GIT_TEST_ENVIRONMENT });
  git(directory, 'reset', '--quiet', '--hard');
}

export interface LoggedCommit {
  readonly hash: string;
  readonly at: number;
  readonly person: string;
  /** The person, and the people with whom they wrote it. */
  readonly people: readonly string[];
  readonly files: readonly { readonly path: string; readonly added: number; readonly deleted: number }[];
}

/** The history as git prints it, oldest first. */
export function logged(directory: string): readonly LoggedCommit[] {
  const text = git(
    directory,
    'log',
    '--reverse',
    '--numstat',
    '--format=%x01%H %ct %an,%(trailers:key=Co-authored-by,valueonly,separator=%x2C)',
  );
  return text
    .split('\u0001')
    .slice(1)
    .map((block) => {
      const [head = '', ...lines] = block.split('\n');
      const [hash = '', seconds] = head.split(' ');
      const named = head.slice(head.indexOf(' ', hash.length + 1) + 1).split(',');
      const [person = '', ...others] = named.map((name) => name.split(' <')[0] ?? '').filter((name) => name !== '');
      const people = [...new Set([person, ...others.filter((name) => name !== 'Claude' && !name.endsWith('[bot]'))])];
      const files = lines
        .filter((line) => line !== '')
        .map((line) => line.split('\t'))
        .map(([added, deleted, path = '']) => ({ path, added: Number(added), deleted: Number(deleted) }));
      return { hash, at: Number(seconds) * 1000, person, people, files };
    });
}

/** The deleted lines of a commit that were younger than 21 days, by git blame. */
export function youngDeletedLines(directory: string, { hash, at, files }: LoggedCommit): number {
  let young = 0;
  for (const { path, deleted } of files) {
    if (deleted === 0) continue;
    const hunks = git(directory, 'diff', '-U0', `${hash}^`, hash, '--', path).matchAll(/^@@ -(\d+)(?:,(\d+))? /gm);
    const blame = git(directory, 'blame', '--line-porcelain', `${hash}^`, '--', path);
    const times = [...blame.matchAll(/^committer-time (\d+)$/gm)].map(([, seconds]) => Number(seconds) * 1000);
    for (const [, start = '0', count = '1'] of hunks)
      for (let line = Number(start); line < Number(start) + Number(count); line += 1)
        if (at - (times[line - 1] ?? 0) <= 21 * DAY) young += 1;
  }
  return young;
}

/** Whole numbers below a bound, drawn by a linear congruential generator. */
function sequence(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
