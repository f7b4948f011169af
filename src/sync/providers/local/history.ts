/** `sync git` of a clone: commits and their statistics from `git log`, newest first. */
import type { TimeWindow } from '../../time-window.js';
import type { Page, Start } from '../provider.js';
import type { Git } from './git.js';
import { askGit, runGit, streamGit } from './git.js';
import { PageBuilder } from './history-pages.js';
import type { Position } from './history-position.js';
import { asJson, parsePosition } from './history-position.js';
import { LOG_FORMAT, LogParser } from './log-parser.js';
import { readBoundary } from './shallow.js';

export interface HistoryLimits {
  readonly window: TimeWindow;
  /**
   * The maximum number of commits, and of commits with statistics; undefined: unlimited. After a complete sync, all
   * commits since its tip are read: a limit would leave a gap before that tip.
   */
  readonly maxCommits: number | undefined;
  readonly maxStats: number | undefined;
  /** Commits per page. */
  readonly pageSize: number;
  /** Whether to count the commits, which costs another walk through the history. */
  readonly isCounted: boolean;
}

/** The pages of a history. */
export async function* historyPages(
  git: Git,
  gitDirectory: string,
  requested: HistoryLimits,
  start: Start,
): AsyncGenerator<Page> {
  const tip = await headOf(git);
  if (tip === undefined) {
    yield { records: {}, position: null, done: true };
    return;
  }
  const boundary = await readBoundary(git, gitDirectory);
  const position = await beginning(git, tip, boundary.name, requested.window, start);
  const limits = position.exclude === null ? requested : { ...requested, maxCommits: undefined, maxStats: undefined };
  if (!limits.isCounted) {
    yield* pagesFrom(git, position, limits, boundary.parents);
    return;
  }
  // Counts concurrently with reading. The first pages do not know the total yet; the last one always does.
  let expected: number | undefined;
  const counting = countCommits(git, position, limits).then((count) => (expected = count));
  counting.catch(() => {});
  for await (const page of pagesFrom(git, position, limits, boundary.parents)) {
    if (page.done) await counting;
    yield expected === undefined ? page : { ...page, expected };
  }
}

async function* pagesFrom(
  git: Git,
  start: Position,
  limits: HistoryLimits,
  boundary: ReadonlyMap<string, number>,
): AsyncGenerator<Page> {
  let position = start;
  for (const phase of phases(limits, position.count)) {
    const builder = new PageBuilder(position, limits.pageSize, boundary, phase.withStats);
    const parser = new LogParser(builder);
    for await (const chunk of streamGit(git, logArguments(git, position, limits.window, phase))) {
      parser.push(chunk);
      yield* builder.takeReady();
    }
    parser.end();
    yield* builder.takeReady();
    const rest = builder.takeRest();
    if (rest !== undefined) yield rest;
    position = builder.position;
  }
  const isCut = await hasOlder(git, position, limits);
  yield { records: {}, position: asJson({ ...position, exclude: null, count: 0, last: null }), done: true, isCut };
}

/** Whether the limit, or the boundary of a shallow clone, excludes older commits. */
async function hasOlder(git: Git, position: Position, { window, maxCommits }: HistoryLimits): Promise<boolean> {
  if (position.exclude !== null) return false;
  if (position.shallow !== null) return true;
  if (maxCommits === undefined || position.count < maxCommits) return false;
  const older = [
    'rev-list',
    ...windowArguments(git, window),
    `--skip=${maxCommits}`,
    '--max-count=1',
    position.tip,
    '--',
  ];
  return (await runGit(git, older)).length > 0;
}

/** The number of commits that remain after `position`. */
async function countCommits(git: Git, position: Position, { window, maxCommits }: HistoryLimits): Promise<number> {
  const counted = await runGit(git, [
    'rev-list',
    '--count',
    ...windowArguments(git, window),
    position.tip,
    ...(position.exclude === null ? [] : [`^${position.exclude}`]),
    '--',
  ]);
  return Math.max(0, Math.min(Number(counted.toString('latin1').trim()), maxCommits ?? Infinity) - position.count);
}

/** The commit of HEAD; undefined if the repository is empty. */
export async function headOf(git: Git): Promise<string | undefined> {
  return askGit(git, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
}

/** The start: after an interrupted sync's last page, after the last complete sync, or at the beginning. */
async function beginning(
  git: Git,
  tip: string,
  shallow: string | null,
  window: TimeWindow,
  start: Start,
): Promise<Position> {
  const fresh: Position = { tip, exclude: null, count: 0, last: null, shallow };
  const earlier = start === undefined ? undefined : parsePosition(start.position);
  if (earlier === undefined || earlier.shallow !== shallow || !(await hasCommit(git, earlier.tip))) return fresh;
  if (start?.done === true) return { ...fresh, exclude: earlier.tip };
  // Commits that are newer than an interrupted sync's tip are left to the next sync.
  if (earlier.exclude !== null && !(await hasCommit(git, earlier.exclude))) return fresh;
  return (await isInPlace(git, earlier, window)) ? earlier : fresh;
}

async function hasCommit(git: Git, hash: string): Promise<boolean> {
  return (await askGit(git, ['cat-file', '-e', `${hash}^{commit}`])) !== undefined;
}

/**
 * A history from a fixed tip changes only if commits are replaced, so check that the last stored commit is still in
 * place.
 */
async function isInPlace(git: Git, position: Position, window: TimeWindow): Promise<boolean> {
  if (position.count === 0) return true;
  const phase: Phase = { skip: position.count - 1, most: 1, withStats: false };
  const found = await askGit(git, logArguments(git, position, window, phase, '%H'));
  return found?.replace('\0', '') === position.last;
}

interface Phase {
  readonly skip: number;
  readonly most: number | undefined;
  readonly withStats: boolean;
}

/** First the commits with statistics, then the others, if there may be any. */
function* phases({ maxCommits, maxStats }: HistoryLimits, count: number): Generator<Phase> {
  const statsEnd = Math.min(maxStats ?? Infinity, maxCommits ?? Infinity);
  if (count < statsEnd) yield { skip: count, most: limit(statsEnd - count), withStats: true };
  const from = Math.max(count, statsEnd);
  const end = maxCommits ?? Infinity;
  if (from < end) yield { skip: from, most: limit(end - from), withStats: false };
}

function limit(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

function logArguments(git: Git, position: Position, window: TimeWindow, phase: Phase, format = LOG_FORMAT): string[] {
  return [
    'log',
    '-z',
    `--format=${format}`,
    '--no-color',
    '--no-notes',
    '--no-mailmap',
    '--no-decorate',
    ...(phase.withStats
      ? ['--raw', '--numstat', '--no-abbrev', '--no-ext-diff', '--no-textconv', '--diff-algorithm=default']
      : ['--no-patch']),
    ...windowArguments(git, window),
    ...(phase.skip > 0 ? [`--skip=${phase.skip}`] : []),
    ...(phase.most === undefined ? [] : [`--max-count=${phase.most}`]),
    position.tip,
    ...(position.exclude === null ? [] : [`^${position.exclude}`]),
    '--',
  ];
}

/**
 * The window by committer date. `--since-as-filter` also finds commits behind an older one, since dates are not always
 * in order. Without this option, git stops at the first older commit.
 */
export function windowArguments(git: Git, { since, until }: TimeWindow): string[] {
  const option = git.filtersSince ? '--since-as-filter' : '--since';
  return [
    ...(since === undefined ? [] : [`${option}=${gitTime(since)}`]),
    ...(until === undefined ? [] : [`--until=${gitTime(until - 1000)}`]),
  ];
}

/** A time in a format that git reads unambiguously: the first whole second that is not before it. */
export function gitTime(milliseconds: number): string {
  return `@${Math.max(0, Math.ceil(milliseconds / 1000))} +0000`;
}
