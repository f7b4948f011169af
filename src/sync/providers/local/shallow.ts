/** Reads the boundary of a shallow clone. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.js';
import { runGit } from './git.js';

export interface Boundary {
  /** Changes whenever the boundary moves; null in a complete clone. */
  readonly name: string | null;
  /** The commits at the boundary, and their real number of parents. */
  readonly parents: ReadonlyMap<string, number>;
}

/** Reads the boundary. git log would report these commits as root commits. */
export async function readBoundary(git: Git, gitDirectory: string): Promise<Boundary> {
  let text: string;
  try {
    text = await readFile(join(gitDirectory, 'shallow'), 'utf8');
  } catch {
    return { name: null, parents: new Map() };
  }
  const hashes = text.split('\n').filter((line) => line !== '');
  const parents = new Map<string, number>();
  const objects = await runGit(git, ['cat-file', '--batch'], { input: `${hashes.join('\n')}\n` });
  let start = 0;
  for (const hash of hashes) {
    const headerEnd = objects.indexOf(0x0a, start);
    const size = Number(objects.toString('latin1', start, headerEnd).split(' ')[2]);
    if (headerEnd < 0 || !Number.isSafeInteger(size)) break;
    const body = objects.toString('latin1', headerEnd + 1, headerEnd + 1 + size);
    const headers = body.slice(0, body.indexOf('\n\n'));
    parents.set(hash, headers.split('\n').filter((line) => line.startsWith('parent ')).length);
    start = headerEnd + 1 + size + 1;
  }
  return { name: createHash('sha256').update(text).digest('hex').slice(0, 16), parents };
}
