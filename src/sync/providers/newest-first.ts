/** Reads a host's list from the newest entry back to the position of the last complete sync. */
import { isUnanswered, SyncError } from '../failures.js';
import type { AnyRow, JsonValue, Records, TableName } from '../records.js';
import { TABLES } from '../records.js';
import type { TimeWindow } from '../time-window.js';
import type { Page, Start } from './provider.js';

export interface ListingPage<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; null: this is the last page. */
  readonly next: string | null;
  /** Entries that the host hides from the token (default: 0). */
  readonly hidden?: number;
  /** Entries that the host cannot answer, not even alone (default: 0). */
  readonly skipped?: number;
}

/** A paginated list of a host, sorted by a time, latest first. */
export interface Listing<Item> {
  /** Fetches one page. `cursor` is null for the first page, otherwise the `next` of the previous one. */
  fetch(cursor: string | null): Promise<ListingPage<Item>>;
  /** The time by which the list is sorted, in epoch milliseconds. */
  sortedBy(item: Item): number;
  /** Whether an entry may still change without moving to the front of the list. */
  isUnfinished?(item: Item): boolean;
  records(items: readonly Item[]): Promise<Records> | Records;
  /** What the entries that were read lack, for the notes of the sync; null: nothing. */
  note?(): string | null;
  /** Entries that could be read only in part. The next sync reads them again, after the new ones. */
  readonly incomplete?: {
    /** The numbers of those that `records` has met since the last call. */
    take(): readonly number[];
    /** The entries with these numbers that still exist. */
    fetch(numbers: readonly number[]): Promise<readonly Item[]>;
  };
  /** The maximum number of entries to read. */
  readonly most: number;
  readonly window: TimeWindow;
}

interface Position {
  readonly cursor: string | null;
  readonly count: number;
  /** Entries that the host has hidden so far, and those that it could not answer. */
  readonly hidden: number;
  readonly skipped: number;
  /**
   * Where the next complete sync may stop: the time of the newest entry, or of the oldest unfinished one if that is
   * earlier.
   */
  readonly newest: number | null;
  readonly oldestUnfinished: number | null;
  /** Where this sync may stop. */
  readonly stopAt: number | null;
  /** Where to continue after that: an earlier sync was interrupted there. */
  readonly older: Position | null;
  /** Numbers of incomplete entries: what earlier syncs left, to be read again, and what this one has met. */
  readonly again: readonly number[];
  readonly incomplete: readonly number[];
}

const BEGINNING: Position = {
  cursor: null,
  count: 0,
  hidden: 0,
  skipped: 0,
  newest: null,
  oldestUnfinished: null,
  stopAt: null,
  older: null,
  again: [],
  incomplete: [],
};

/** Incomplete entries that are read again at once. */
const AGAIN_AT_ONCE = 100;

/**
 * The pages of a list. Entries whose time equals the stop time are read again, so that none is missed. A sync that
 * follows an interrupted one reads the new entries first: a page that cannot be read never delays them.
 */
export async function* newestFirst<Item>(listing: Listing<Item>, start: Start): AsyncGenerator<Page> {
  const { since = -Infinity, until = Infinity } = listing.window;
  let position = beginning(start);
  for (;;) {
    const oldest = Math.max(since, position.stopAt ?? -Infinity);
    const { items, next, hidden = 0, skipped = 0 } = await listing.fetch(position.cursor);
    const room = listing.most - position.count;
    const recent = items.filter((item) => listing.sortedBy(item) >= oldest);
    const wanted = recent.slice(0, room);
    const read = await readable(
      listing,
      wanted.filter((item) => listing.sortedBy(item) < until),
      position.count,
    );
    position = {
      ...advance(position, listing, wanted, next),
      hidden: position.hidden + hidden,
      skipped: position.skipped + skipped + read.skipped,
      incomplete: [...position.incomplete, ...(listing.incomplete?.take() ?? [])],
    };
    const isLast = next === null || wanted.length < items.length || position.count >= listing.most;
    if (isLast && position.older === null) {
      const hasOlder = recent.length > wanted.length || (recent.length === items.length && next !== null);
      yield* lastPages(listing, position, read.records, hasOlder ? listing.most : null);
      return;
    }
    if (isLast) position = continued(position, hidden, skipped);
    yield { records: read.records, position: json(position), done: false };
  }
}

/** The last page of the list, and before it the incomplete entries of earlier syncs. */
async function* lastPages<Item>(
  listing: Listing<Item>,
  position: Position,
  last: Records,
  most: number | null,
): AsyncGenerator<Page> {
  let { again, incomplete } = position;
  let records = last;
  while (listing.incomplete !== undefined && again.length > 0) {
    yield { records, position: json({ ...position, again, incomplete }), done: false };
    const items = await listing.incomplete.fetch(again.slice(0, AGAIN_AT_ONCE));
    records = (await readable(listing, items, position.count)).records;
    again = again.slice(AGAIN_AT_ONCE);
    incomplete = [...incomplete, ...listing.incomplete.take()];
  }
  const end: Position = { ...BEGINNING, stopAt: markOf(position), incomplete: [...new Set(incomplete)] };
  yield {
    records,
    position: json(end),
    done: true,
    isCut: most !== null,
    ...noteOn(position, most, listing.note?.() ?? null),
  };
}

/** Errors that concern a single entry. */
const OF_ENTRIES: ReadonlySet<string> = new Set(['unexpected_reply', 'host_unavailable', 'not_found']);

/**
 * The records of these entries without those that cannot be read. If none can, the fault is probably not one of single
 * entries, and the error is thrown: a host that answers in another way would otherwise lose all of them, one at a time.
 * A single entry is skipped only after others of the list that could be read, and if the host has answered.
 *
 * @param count how many entries of the list were read before
 */
async function readable<Item>(
  listing: Listing<Item>,
  items: readonly Item[],
  count: number,
): Promise<{ readonly records: Records; readonly skipped: number }> {
  const read = async (some: readonly Item[]): Promise<Records | SyncError> => {
    try {
      return await listing.records(some);
    } catch (error) {
      if (error instanceof SyncError && OF_ENTRIES.has(error.code)) return error;
      throw error;
    }
  };
  const together = await read(items);
  if (!(together instanceof SyncError)) return { records: together, skipped: 0 };
  const parts: Records[] = [];
  if (items.length > 1) {
    for (const item of items) {
      const records = await read([item]);
      if (!(records instanceof SyncError)) parts.push(records);
    }
  }
  const isOneOfMany = items.length === 1 && count > 0 && !isUnanswered(together);
  if (parts.length === 0 && !isOneOfMany) throw together;
  return { records: joined(parts), skipped: items.length - parts.length };
}

function joined(parts: readonly Records[]): Records {
  const rows = (name: TableName): readonly AnyRow[] => parts.flatMap((part): readonly AnyRow[] => part[name] ?? []);
  return Object.fromEntries(TABLES.map(({ name }) => [name, rows(name)]));
}

/**
 * The note about entries that are not read.
 *
 * @param most how many entries are read; null: all
 * @param lack what the entries lack; null: nothing
 */
function noteOn({ hidden, skipped }: Position, most: number | null, lack: string | null): Pick<Page, 'note'> {
  const parts = [
    ...(most === null ? [] : [`only the latest ${most} entries are read`]),
    ...(hidden === 0 ? [] : [`the host hides ${entries(hidden)} from the token`]),
    ...(skipped === 0 ? [] : [`skipped ${entries(skipped)} that the host cannot answer`]),
    ...(lack === null ? [] : [lack]),
  ];
  return parts.length === 0 ? {} : { note: parts.join('; ') };
}

function entries(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
}

function advance<Item>(
  position: Position,
  listing: Listing<Item>,
  items: readonly Item[],
  next: string | null,
): Position {
  const times = items.map((item) => listing.sortedBy(item));
  const unfinished = items
    .filter((item) => listing.isUnfinished?.(item) === true)
    .map((item) => listing.sortedBy(item));
  return {
    ...position,
    cursor: next,
    count: position.count + items.length,
    newest: latest(position.newest, ...times),
    oldestUnfinished: earliest(position.oldestUnfinished, ...unfinished),
  };
}

/**
 * The position of an interrupted sync, after the entries that are newer.
 *
 * @param hidden entries of the last page, which the interrupted sync has counted
 */
function continued(newer: Position, hidden: number, skipped: number): Position {
  const { older } = newer;
  if (older === null) return newer;
  return {
    ...older,
    hidden: older.hidden + newer.hidden - hidden,
    skipped: older.skipped + newer.skipped - skipped,
    newest: latest(older.newest, newer.newest),
    oldestUnfinished: earliest(older.oldestUnfinished, newer.oldestUnfinished),
    again: newer.again,
    incomplete: newer.incomplete,
  };
}

function latest(...times: readonly (number | null)[]): number | null {
  return finite(Math.max(...times.map((time) => time ?? -Infinity)));
}

function earliest(...times: readonly (number | null)[]): number | null {
  return finite(Math.min(...times.map((time) => time ?? Infinity)));
}

function finite(time: number): number | null {
  return Number.isFinite(time) ? time : null;
}

function markOf({ newest, oldestUnfinished, stopAt }: Position): number | null {
  if (newest === null) return stopAt;
  return earliest(newest, oldestUnfinished);
}

/** Where a sync begins: with what is newer than the newest entry of an interrupted sync, if there was one. */
function beginning(start: Start): Position {
  const stored = parsePosition(start?.position ?? null);
  const left = { again: [...new Set([...stored.again, ...stored.incomplete])], incomplete: [] };
  if (stored.older !== null) return { ...BEGINNING, ...left, stopAt: stored.older.newest, older: stored.older };
  if (stored.cursor === null || stored.newest === null) return { ...stored, ...left };
  return { ...BEGINNING, ...left, stopAt: stored.newest, older: stored };
}

function parsePosition(value: JsonValue): Position {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return BEGINNING;
  const fields = value as Record<string, JsonValue | undefined>;
  const number = (name: string): number | null => {
    const field = fields[name];
    return typeof field === 'number' ? field : null;
  };
  const numbers = (name: string): number[] => {
    const field = fields[name];
    return Array.isArray(field) ? field.filter((item) => typeof item === 'number') : [];
  };
  const { cursor, older } = fields;
  return {
    cursor: typeof cursor === 'string' ? cursor : null,
    count: number('count') ?? 0,
    hidden: number('hidden') ?? 0,
    skipped: number('skipped') ?? 0,
    newest: number('newest'),
    oldestUnfinished: number('oldestUnfinished'),
    stopAt: number('stopAt'),
    older: older === undefined || older === null ? null : parsePosition(older),
    again: numbers('again'),
    incomplete: numbers('incomplete'),
  };
}

function json(position: Position): JsonValue {
  return { ...position, older: position.older === null ? null : json(position.older) };
}
