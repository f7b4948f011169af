/**
 * Mutation testing: makes small changes in the source, one at a time, and reports which of them no test notices.
 *
 *     npm run mutate -- --count 30 --seed 1 src/contract src/contract/outbound/outbound-fetch.ts
 *
 * A seed gives the same sample for the same source. The changes are made in a copy of the last commit. Each mutant meets
 * the tests that mirror its folder first, and then all fast tests of its part of the product. It fails if fewer than 90 % of the
 * mutants are noticed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { mutate, mutationsOf, type Mutation } from './mutations.js';

const leastKilled = 0.9;
const mostMinutesPerRun = 10;

interface Mutant extends Mutation {
  readonly file: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
});
const copy = resolve('.cache/mutation');
const sample = chooseMutants(
  positionals.length === 0 ? ['src'] : positionals,
  Number(values.count),
  Number(values.seed),
);

prepareCopy();
const survivors: Mutant[] = [];
try {
  for (const [index, mutant] of sample.entries()) {
    const killedBy = killerOf(mutant);
    if (killedBy === null) survivors.push(mutant);
    console.log(`${index + 1} of ${sample.length}  ${describe(mutant)}  ${killedBy ?? 'SURVIVED'}`);
  }
} finally {
  removeCopy();
}
const killed = sample.length - survivors.length;
console.log(`${killed} of ${sample.length} mutants were noticed (seed ${values.seed}).`);
for (const survivor of survivors) console.log(`survived: ${describe(survivor)}`);
if (sample.length === 0 || killed / sample.length < leastKilled) process.exitCode = 1;

function chooseMutants(paths: readonly string[], count: number, seed: number): Mutant[] {
  const listed = execFileSync('git', ['ls-files', '--', ...paths], { encoding: 'utf8' }).split('\n');
  const files = listed.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'));
  const all = files.flatMap((file) =>
    mutationsOf(readFileSync(file, 'utf8')).map((mutation): Mutant => ({ ...mutation, file })),
  );
  const random = createRandom(seed);
  return all
    .map((mutant) => ({ mutant, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/** Mulberry32, by Tommy Ettinger (public domain): the same numbers, from 0 to 1, for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Checks out the last commit beside the sources. Its packages are hard links: links to the workspace lead into the copy. */
function prepareCopy(): void {
  removeCopy();
  mkdirSync(dirname(copy), { recursive: true });
  execFileSync('git', ['worktree', 'add', '--detach', '--quiet', copy, 'HEAD']);
  execFileSync('cp', ['-al', resolve('node_modules'), copy]);
}

function removeCopy(): void {
  rmSync(copy, { recursive: true, force: true });
  execFileSync('git', ['worktree', 'prune']);
}

/** The folder whose tests have noticed the mutant; null: none has. */
function killerOf(mutant: Mutant): string | null {
  const path = join(copy, mutant.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, mutate(source, mutant));
  try {
    return testFoldersOf(mutant.file).find((folder) => !passes(folder)) ?? null;
  } finally {
    writeFileSync(path, source);
  }
}

/** The folder of tests that mirrors the file's, and that of its part of the product. */
function testFoldersOf(file: string): readonly string[] {
  const parts = dirname(file)
    .replace(/^(?:sdk\/)?src/, file.startsWith('sdk/') ? 'test/sdk' : 'test')
    .split('/');
  const mirrored = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
  const own = mirrored.find((folder) => existsSync(folder)) ?? 'test';
  return [...new Set([`${own}/`, `${parts.slice(0, 2).join('/')}/`])];
}

/** Whether the fast tests of a folder pass. A run that does not end in time has noticed the mutant as well. */
function passes(folder: string): boolean {
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'fast',
    '--bail',
    '1',
    '--passWithNoTests',
    folder,
  ];
  const { status } = spawnSync(process.execPath, args, { cwd: copy, timeout: mostMinutesPerRun * 60_000 });
  return status === 0;
}

function describe({ file, line, start, end, replacement }: Mutant): string {
  const text = readFileSync(file, 'utf8').slice(start, end).replaceAll(/\s+/g, ' ');
  return `${file}:${line} ${text.length > 60 ? `${text.slice(0, 60)}…` : text} -> ${replacement}`;
}
