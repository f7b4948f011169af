/** The commits that a clone reaches: from HEAD, and from all of its branches, tags and fetched refs. */
import { createHash } from 'node:crypto';
import { HashTable } from '../hash-table.js';
import { EMPTY_REPOSITORY } from '../listed-commits.js';
import type { PartialReach, Reach, Reachable } from '../provider.js';
import type { Git } from './git.js';
import { runGit, streamGit } from './git.js';
import { headOf } from './history.js';
import { readBoundary } from './shallow.js';

/** A sync reads HEAD only. Other refs count because HEAD may name another branch than in an earlier sync. */
export async function reachOf(git: Git, gitDirectory: string): Promise<Reach | PartialReach> {
  const head = await headOf(git);
  if (head === undefined) return { partial: EMPTY_REPOSITORY };
  if ((await readBoundary(git, gitDirectory)).name !== null) return { partial: 'the clone is shallow' };
  const named = await runGit(git, ['for-each-ref', '--format=%(objectname)']);
  const refs = createHash('sha256').update(head).update(named).digest('hex');
  return { refs, branch: null, list: () => listFrom(git, head), known: (hashes) => objectsIn(git, hashes) };
}

/** Nothing is fetched: in a partial clone, git would ask the remote for the objects that are missing. */
async function objectsIn(git: Git, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  const local = { ...git, confinement: { ...git.confinement, GIT_NO_LAZY_FETCH: '1' } };
  const input = hashes.map((hash) => `${hash}\n`).join('');
  const answers = await runGit(local, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input });
  // Not by the number of the line: a hash of a host is any text, also one with a newline.
  const lines = new Set(answers.toString('utf8').split('\n'));
  return new Set(hashes.filter((hash) => lines.has(`${hash} commit`)));
}

async function listFrom(git: Git, head: string): Promise<Reachable> {
  const listed = new HashTable(head.length / 2);
  let rest = '';
  for await (const chunk of streamGit(git, ['rev-list', '--all', head, '--'])) {
    const lines = `${rest}${chunk.toString('latin1')}`.split('\n');
    rest = lines.pop() ?? '';
    for (const hash of lines) listed.add(hash);
  }
  return { has: (hash) => listed.find(hash) !== undefined };
}
