/**
 * Reads the commits of a branch of a host: the latest ones up to a limit in the first sync, and in later ones all since
 * the last known head.
 */
import type { JsonValue, Records } from '../records.js';
import type { SyncRequest } from '../sync-request.js';
import { noteOfLimits, remoteLimits } from './limits.js';
import { PER_PAGE } from './numbered-pages.js';
import type { Page, Start } from './provider.js';

/** Pages of a branch would shift when new commits arrive, so commits are listed from a fixed one. */
export interface CommitRange {
  readonly head: string;
  /** The head of an earlier sync: what it reaches is not in the range. Null: the range ends at a limit. */
  readonly base: string | null;
  /** The number of commits that were read. */
  readonly count: number;
}

export interface ListedCommitsPage {
  /** From the page of the commit number `count` of the range. */
  readonly items: readonly unknown[];
  readonly hasNext: boolean;
  /** Commits that the host cannot answer. */
  readonly skipped: number;
}

export interface CommitSource {
  /** Lists a page of {@link PER_PAGE} commits; undefined if the host no longer knows the base. */
  list(range: CommitRange): Promise<ListedCommitsPage | undefined>;
  /** The records of commits of that list; `stats` of them with statistics. */
  records(commits: readonly unknown[], stats: number): Promise<Records>;
  /** Commits per stored page. */
  readonly storedAtOnce: number;
  /** What commits lack; null: nothing. */
  note(): string | null;
}

const UNLIMITED = { commits: Infinity, stats: Infinity };

/** @param head the commit at the tip of the branch */
export async function* commitRangePages(
  source: CommitSource,
  head: string,
  request: SyncRequest,
  start: Start,
): AsyncGenerator<Page> {
  let ranges = rangesOf(start, head);
  let skipped = 0;
  let limitNote: string | undefined;
  let hasOlder = false;
  for (let range = ranges[0]; range !== undefined; range = ranges[0]) {
    const older = ranges.slice(1);
    const limits = range.base === null ? remoteLimits(request) : UNLIMITED;
    // If an interrupted sync had reached the limit, it is not known whether there are older commits.
    let isCut = range.count >= limits.commits;
    for (let more = true; more && range.count < limits.commits;) {
      const page: ListedCommitsPage | undefined = await source.list(range);
      if (page === undefined) break;
      const fresh = page.items.slice(range.count % PER_PAGE);
      const commits = fresh.slice(0, limits.commits - range.count);
      more = page.hasNext;
      isCut = more || commits.length < fresh.length;
      skipped += page.skipped;
      for (let index = 0; index < commits.length; index += source.storedAtOnce) {
        const batch = commits.slice(index, index + source.storedAtOnce);
        const stats = Math.max(0, Math.min(batch.length, limits.stats - range.count));
        const records = await source.records(batch, stats);
        range = { ...range, count: range.count + batch.length };
        yield { records, position: positionOf(head, [range, ...older]), done: false };
      }
      range = { ...range, count: range.count + page.skipped };
    }
    // A range that was begun before its base went is of a history that the host has discarded: its rest is not read.
    const isGone = range.base !== null && range.count === 0;
    if (range.base === null) {
      limitNote = noteOfLimits(limits, range.count, isCut).note;
      hasOlder = isCut;
    }
    // After a rewritten history, the latest commits are read as in a first sync.
    ranges = isGone ? [{ ...range, base: null }, ...older] : older;
  }
  const notes = [
    limitNote,
    ...(skipped === 0
      ? []
      : [`skipped ${skipped === 1 ? '1 commit' : `${skipped} commits`} that the host cannot answer`]),
    source.note(),
  ].filter((note) => note !== undefined && note !== null);
  yield {
    records: {},
    position: positionOf(head, []),
    done: true,
    isCut: hasOlder,
    ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
  };
}

/** The page of {@link PER_PAGE} commits at which a range continues. */
export function pageOf({ count }: CommitRange): number {
  return Math.floor(count / PER_PAGE) + 1;
}

/** New commits come first, then what an interrupted sync left. */
function rangesOf(start: Start, head: string): readonly CommitRange[] {
  const earlier = parsePosition(start?.position ?? null);
  if (start === undefined || earlier === undefined) return [{ head, base: null, count: 0 }];
  const left = start.done ? [] : earlier.ranges;
  return earlier.head === head ? left : [{ head, base: earlier.head, count: 0 }, ...left];
}

function positionOf(head: string, ranges: readonly CommitRange[]): JsonValue {
  return { head, ranges: ranges.map((range) => ({ ...range })) };
}

function parsePosition(value: JsonValue): { head: string; ranges: readonly CommitRange[] } | undefined {
  const fields = fieldsOf(value);
  const { head, ranges, count } = fields;
  if (typeof head !== 'string') return undefined;
  // A position of an earlier release is a range without a base.
  const listed: readonly JsonValue[] = Array.isArray(ranges) ? ranges : [{ head, base: null, count: count ?? 0 }];
  return { head, ranges: listed.flatMap((range) => parseRange(range) ?? []) };
}

function parseRange(value: JsonValue): CommitRange | undefined {
  const { head, base, count } = fieldsOf(value);
  if (typeof head !== 'string' || typeof count !== 'number') return undefined;
  return { head, base: typeof base === 'string' ? base : null, count };
}

function fieldsOf(value: JsonValue): Readonly<Record<string, JsonValue | undefined>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, JsonValue | undefined>)
    : {};
}
