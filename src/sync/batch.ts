/** Batch mode: many repositories, a few at a time. */
import { SyncError } from './failures.js';
import { literal, matchesSteps, type GlobStep } from './glob.js';
import type { RepositorySource } from './providers/provider.js';
import type { BatchOptions } from './sync-request.js';
import type { SyncDependencies } from './dependencies.js';

/**
 * Runs `work` for each repository, at most `concurrency` at once and `maxRepos` in all.
 *
 * They are processed in batches of `size`. The next batch begins after the previous one has ended, and after the delay.
 * With `continuous`, each free worker takes the next repository immediately, without batches.
 */
export async function runBatch(
  sources: AsyncIterable<RepositorySource>,
  options: BatchOptions,
  { signal, sleep, progress }: Pick<SyncDependencies, 'signal' | 'sleep' | 'progress'>,
  work: (source: RepositorySource) => Promise<void>,
): Promise<void> {
  const iterator = limited(sources, options.maxRepos);
  let found = 0;
  /** Works on at most `most` repositories. Returns false at the end of the list. */
  const workThrough = async (most: number): Promise<boolean> => {
    const batch = { left: most, ended: false };
    const worker = async (): Promise<void> => {
      while (batch.left > 0 && !batch.ended) {
        batch.left -= 1;
        signal.throwIfAborted();
        const next = await iterator.next();
        if (next.done === true) {
          batch.ended = true;
          return;
        }
        found += 1;
        progress.repositoriesFound?.(found);
        await work(next.value);
      }
    };
    await allOf(Array.from({ length: Math.min(options.concurrency, most) }, () => worker()));
    return !batch.ended;
  };
  try {
    if (options.continuous) await workThrough(Number.POSITIVE_INFINITY);
    else while (await workThrough(options.size)) await sleep(options.delayMilliseconds, signal);
  } finally {
    await iterator.return(undefined);
  }
}

/** Waits for all workers, then fails with the first failure, so that no worker is left running. */
async function allOf(workers: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(workers);
  for (const result of results) if (result.status === 'rejected') throw result.reason as unknown;
}

async function* limited<Item>(items: AsyncIterable<Item>, limit: number | undefined): AsyncGenerator<Item> {
  if (limit === undefined) {
    yield* items;
    return;
  }
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count >= limit) return;
  }
}

/**
 * The listed repositories of a group whose full names match a search.
 *
 * @param host its name, for the error
 * @throws SyncError (`not_found`) at the end if no repository matched
 */
export async function* matchingRepositories<Listed extends { readonly fullName: string }>(
  host: string,
  { group, pattern }: { readonly group: string; readonly pattern: string },
  listed: AsyncIterable<Listed>,
): AsyncGenerator<Listed> {
  const count = { compared: 0, matching: 0 };
  for await (const repository of listed) {
    count.compared += 1;
    if (!matchesSearch(pattern, repository.fullName)) continue;
    count.matching += 1;
    yield repository;
  }
  if (count.matching === 0) throw nothingMatches(host, group, pattern, count.compared);
}

/** The error of a batch without repositories. It names the pattern and the number of names that were compared. */
function nothingMatches(host: string, group: string, pattern: string, compared: number): SyncError {
  const of = compared === 1 ? 'the one repository' : `the ${compared} repositories`;
  const names = pattern.includes('/') ? 'full names' : 'names';
  return new SyncError(
    'not_found',
    compared === 0
      ? `${host} lists no repository of ${group}, so none matches ${JSON.stringify(pattern)}. A token may be needed to see private ones.`
      : `None of ${of} of ${group} on ${host} matches ${JSON.stringify(pattern)}, which is compared with their ${names}.`,
  );
}

/** Whether a repository's full name matches a search: a pattern, and with `!` before them those to leave out. */
export function matchesSearch(search: string, fullName: string): boolean {
  return matchesSelection(search.trim().split(/\s+/), fullName);
}

/** Whether a repository's full name matches one of the patterns, and none of those with `!` before them. */
export function matchesSelection(patterns: readonly string[], fullName: string): boolean {
  const { included, excepted } = splitSelection(patterns);
  const matches = (pattern: string): boolean => matchesPattern(pattern, fullName);
  return included.some(matches) && !excepted.some(matches);
}

/** What patterns take in, and what those with `!` before them leave out, without that sign. */
export function splitSelection(patterns: readonly string[]): {
  readonly included: readonly string[];
  readonly excepted: readonly string[];
} {
  return {
    included: patterns.filter((pattern) => !pattern.startsWith('!')),
    excepted: patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1)),
  };
}

/**
 * Whether a repository's full name matches a pattern: `*` any text, `?` one character, `[abc]`, `[a-c]` and
 * `[!abc]` one of a set; case-insensitive. A pattern without a slash is compared with the last part of the name.
 */
export function matchesPattern(pattern: string, fullName: string): boolean {
  const subject = pattern.includes('/') ? fullName : fullName.slice(fullName.lastIndexOf('/') + 1);
  return matchesSteps(stepsOf(pattern), subject);
}

function stepsOf(pattern: string): readonly GlobStep[] {
  const characters = Array.from(pattern);
  const steps: GlobStep[] = [];
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? '';
    const close = character === '[' ? characters.indexOf(']', index + 2) : -1;
    if (close > 0) {
      steps.push(oneOf(characters.slice(index + 1, close)));
      index = close;
    } else if (character === '?') steps.push(() => true);
    else steps.push(character === '*' ? '*' : literal(character));
  }
  return steps;
}

/** The test of a set: `abc`, `a-c`; a leading `!` or `^` negates it. */
function oneOf(members: readonly string[]): GlobStep {
  const isNegated = members[0] === '!' || members[0] === '^';
  const ranges: (readonly [string, string])[] = [];
  for (let index = isNegated ? 1 : 0; index < members.length; index += 1) {
    const [first = '', dash, last] = members.slice(index, index + 3);
    const isRange = dash === '-' && last !== undefined;
    ranges.push([first, isRange ? last : first]);
    if (isRange) index += 2;
  }
  const isMember = (character: string): boolean =>
    ranges.some(([first, last]) => character >= first && character <= last);
  return (character) => [character, character.toLowerCase(), character.toUpperCase()].some(isMember) !== isNegated;
}
