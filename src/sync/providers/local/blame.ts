/**
 * `sync blame` of a clone: who last changed each line of each text file at HEAD. After a complete sync, only files that
 * changed since are read again. Lines that a file no longer has are removed.
 */
import { isUtf8 } from 'node:buffer';
import type { JsonValue, Row } from '../../records.js';
import type { BlameLength } from '../../sinks/sink.js';
import type { TimeWindow } from '../../time-window.js';
import type { Page, Start } from '../provider.js';
import { isBlamed } from '../blamed-files.js';
import { parseBlame } from './blame-parser.js';
import type { Git } from './git.js';
import { askGit, runGit, streamGit } from './git.js';
import { gitTime, headOf } from './history.js';
import { isHash } from './history-position.js';
import { mapInOrder } from '../map-in-order.js';
import type { TreeChange } from './tree-changes.js';
import { parseTreeChanges } from './tree-changes.js';

interface Options {
  readonly window: TimeWindow;
  readonly pageSize: number;
  readonly workers: number;
}

interface Position {
  readonly tip: string;
  /** The commit or tree that files are compared with. */
  readonly base: string;
  /** The number of changed files that are done, in git's order. */
  readonly count: number;
}

/** Lines per page, for each record of a page of other targets: a line is a small record. */
const LINES_PER_RECORD = 20;

/** The pages of the blame of a clone, file by file. */
export async function* blamePages(git: Git, options: Options, start: Start): AsyncGenerator<Page> {
  const tip = await headOf(git);
  if (tip === undefined) {
    yield { records: {}, position: null, done: true };
    return;
  }
  let position = await beginning(git, tip, options.window, start);
  const changes = await changedFiles(git, position);
  const blames = mapInOrder(changes.slice(position.count), options.workers, async (change) => ({
    change,
    lines: isWanted(change) ? parseBlame(await blame(git, position.tip, change)) : [],
  }));
  const most = options.pageSize * LINES_PER_RECORD;
  let rows: Row<'git_blame'>[] = [];
  let lengths: BlameLength[] = [];
  for await (const { change, lines } of blames) {
    for (const line of lines) {
      rows.push({ path: change.path, ...line });
      if (rows.length < most) continue;
      yield { records: { git_blame: rows }, blameLengths: lengths, position: { ...position }, done: false };
      rows = [];
      lengths = [];
    }
    position = { ...position, count: position.count + 1 };
    lengths.push({ path: change.path, lines: lines.length });
    if (lengths.length < options.pageSize) continue;
    yield {
      records: { git_blame: rows },
      blameLengths: lengths,
      position: { ...position },
      done: false,
      expected: changes.length,
    };
    rows = [];
    lengths = [];
  }
  yield {
    records: { git_blame: rows },
    blameLengths: lengths,
    position: { ...position, count: changes.length },
    done: true,
  };
}

async function beginning(git: Git, tip: string, window: TimeWindow, start: Start): Promise<Position> {
  const earlier = start === undefined ? undefined : parsePosition(start.position);
  const isThere = async (hash: string): Promise<boolean> => (await askGit(git, ['cat-file', '-e', hash])) !== undefined;
  if (earlier !== undefined && (await isThere(earlier.tip)) && (await isThere(earlier.base))) {
    return start?.done === true ? { tip, base: earlier.tip, count: 0 } : earlier;
  }
  return { tip, base: await windowBase(git, tip, window), count: 0 };
}

/** With a time filter, the state of the files before it; otherwise the empty tree, so that every file is new. */
async function windowBase(git: Git, tip: string, { since }: TimeWindow): Promise<string> {
  const before =
    since === undefined
      ? ''
      : await askGit(git, ['rev-list', '--max-count=1', `--before=${gitTime(since - 1000)}`, tip, '--']);
  if (before !== undefined && before !== '') return before;
  // The hash depends on the repository's hash function. git can compute it without storing the tree.
  return (await runGit(git, ['hash-object', '-t', 'tree', '--stdin'], { input: '' })).toString('utf8').trim();
}

async function changedFiles(git: Git, { base, tip }: Position): Promise<TreeChange[]> {
  const args = [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--numstat',
    '--no-renames',
    '--no-abbrev',
    '--no-ext-diff',
    '--no-textconv',
    base,
    tip,
    '--',
  ];
  return parseTreeChanges(streamGit(git, args));
}

/** Symbolic links and submodules have no lines; those of binary files have no meaning. */
function isWanted(change: TreeChange): boolean {
  return change.mode.startsWith('100') && !change.isBinary && isBlamed(change.path);
}

function blame(git: Git, tip: string, change: TreeChange): Promise<Buffer> {
  const args = ['blame', '--porcelain', '--encoding=UTF-8', '--no-textconv', tip, '--'];
  return isUtf8(change.name)
    ? runGit(git, [...args, change.name.toString('utf8')])
    : runGit(git, args, { lastArgument: change.name });
}

function parsePosition(value: JsonValue): Position | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { tip, base, count } = value as Record<string, JsonValue | undefined>;
  if (!isHash(tip) || !isHash(base) || typeof count !== 'number' || !Number.isSafeInteger(count)) return undefined;
  return { tip, base, count };
}
