import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCommitGraph } from '../../../src/sync/providers/local/commit-graph.js';
import { openGit } from '../../../src/sync/providers/local/git.js';
import { git, GIT_TEST_ENVIRONMENT, initRepository } from '../../support/git-history.js';
import { temporaryDirectory } from '../harness.js';

/** Git keeps everything but NUL, newlines and angle brackets. */
const NAMES = ['Ada', 'A|d|a', 'Ada\t1 2', 'A\u0001d\u0001a', '0'.repeat(40), ''];

/** Commits and merges of random earlier ones, octopuses among them, many at the same second. */
function randomHistory(path: string, commits: number): string {
  let state = 7;
  const random = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const lines: string[] = [];
  for (let mark = 1; mark <= commits; mark += 1) {
    const parents = new Set(Array.from({ length: 1 + random(4) }, () => Math.max(1, mark - 1 - random(12))));
    if (random(3) > 0) parents.clear();
    parents.add(Math.max(1, mark - 1 - random(3)));
    const [from, ...merged] = [...parents].filter((parent) => parent < mark);
    const name = NAMES[random(NAMES.length)] ?? '';
    const person = `${name} <a${random(5)}|\t,@example.com> ${1_500_000_000 + Math.floor(mark / 3)} +0000`;
    lines.push(
      'commit refs/heads/main',
      `mark :${mark}`,
      `author ${person}`,
      `committer ${person}`,
      'data 1\nx',
      ...(from === undefined ? [] : [`from :${from}`]),
      ...merged.map((parent) => `merge :${parent}`),
      '',
    );
  }
  spawnSync('git', ['-C', path, 'fast-import', '--quiet', '--force'], {
    input: lines.join('\n'),
    env: GIT_TEST_ENVIRONMENT,
  });
  return git(path, 'rev-parse', 'main').trim();
}

it('lists the commits of each merge as git does, in the same order', async () => {
  const path = join(temporaryDirectory(), 'project');
  initRepository(path);
  const tip = randomHistory(path, 300);
  const graph = await readCommitGraph(await openGit(path, GIT_TEST_ENVIRONMENT, new AbortController().signal), tip);
  const merges = git(path, 'rev-list', '--merges', '--parents', tip).trim().split('\n').slice(0, 60);
  expect(merges.length).toBeGreaterThan(40);
  for (const merge of merges) {
    const [, base = '', ...heads] = merge.split(' ');
    const expected = git(path, 'log', '--no-merges', '--format=%H %at [%an] [%ae]', ...heads, `^${base}`, '--').trim();
    const listed = graph
      .broughtIn(heads, base, 1000)
      .map(({ hash, when, authorName, authorEmail }) => `${hash} ${when / 1000} [${authorName}] [${authorEmail}]`);
    expect(listed.join('\n')).toBe(expected);
    expect(graph.broughtIn(heads, base, 2)).toHaveLength(Math.min(2, listed.length));
  }
});
