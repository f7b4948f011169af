/** Reads a host's list from the newest entry back to the position of the last complete sync. */
import type { JsonValue, Records } from '../records.js';
import type { TimeWindow } from '../time-window.js';
import type { Page, Start } from './provider.js';

export interface ListingPage<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; null: this is the last page. */
  readonly next: string | null;
  /** Entries that the host hides from the token (default: 0). */
  readonly hidden?: number;
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
  /** The maximum number of entries to read. */
  readonly most: number;
  readonly window: TimeWindow;
}

interface Position {
  readonly cursor: string | null;
  readonly count: number;
  /** Entries that the host has hidden so far. */
  readonly hidden: number;
  /**
   * Where the next complete sync may stop: the time of the newest entry, or of the oldest unfinished one if that is
   * earlier.
   */
  readonly newest: number | null;
  readonly oldestUnfinished: number | null;
  /** Where this sync may stop. */
  readonly stopAt: number | null;
}

const BEGINNING: Position = { cursor: null, count: 0, hidden: 0, newest: null, oldestUnfinished: null, stopAt: null };

/** The pages of a list. Entries whose time equals the stop time are read again, so that none is missed. */
export async function* newestFirst<Item>(listing: Listing<Item>, start: Start): AsyncGenerator<Page> {
  let position = beginning(start);
  const oldest = Math.max(listing.window.since ?? -Infinity, position.stopAt ?? -Infinity);
  for (;;) {
    const { items, next, hidden = 0 } = await listing.fetch(position.cursor);
    const room = listing.most - position.count;
    const recent = items.filter((item) => listing.sortedBy(item) >= oldest);
    const wanted = recent.slice(0, room);
    position = { ...advance(position, listing, wanted, next), hidden: position.hidden + hidden };
    const until = listing.window.until ?? Infinity;
    const records = await listing.records(wanted.filter((item) => listing.sortedBy(item) < until));
    const isLast = next === null || wanted.length < items.length || position.count >= listing.most;
    if (isLast) {
      const hasOlder = recent.length > wanted.length || (recent.length === items.length && next !== null);
      const note = noteOn(position.hidden, hasOlder ? listing.most : null, listing.note?.() ?? null);
      yield { records, position: { ...BEGINNING, stopAt: markOf(position) }, done: true, ...note };
      return;
    }
    yield { records, position: { ...position }, done: false };
  }
}

/**
 * The note about entries that are not read.
 *
 * @param hidden entries that the host hides
 * @param most how many entries are read; null: all
 * @param lack what the entries lack; null: nothing
 */
function noteOn(hidden: number, most: number | null, lack: string | null): Pick<Page, 'note'> {
  const parts = [
    ...(most === null ? [] : [`only the latest ${most} entries are read`]),
    ...(hidden === 0 ? [] : [`the host hides ${hidden} ${hidden === 1 ? 'entry' : 'entries'} from the token`]),
    ...(lack === null ? [] : [lack]),
  ];
  return parts.length === 0 ? {} : { note: parts.join('; ') };
}

function advance<Item>(
  position: Position,
  listing: Listing<Item>,
  items: readonly Item[],
  next: string | null,
): Omit<Position, 'hidden'> {
  const times = items.map((item) => listing.sortedBy(item));
  const unfinished = items
    .filter((item) => listing.isUnfinished?.(item) === true)
    .map((item) => listing.sortedBy(item));
  const newest = Math.max(position.newest ?? -Infinity, ...times);
  const oldestUnfinished = Math.min(position.oldestUnfinished ?? Infinity, ...unfinished);
  return {
    cursor: next,
    count: position.count + items.length,
    newest: Number.isFinite(newest) ? newest : null,
    oldestUnfinished: Number.isFinite(oldestUnfinished) ? oldestUnfinished : null,
    stopAt: position.stopAt,
  };
}

function markOf({ newest, oldestUnfinished, stopAt }: Position): number | null {
  if (newest === null) return stopAt;
  return oldestUnfinished === null ? newest : Math.min(newest, oldestUnfinished);
}

function beginning(start: Start): Position {
  const value: JsonValue = start?.position ?? null;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return BEGINNING;
  const { cursor, count, hidden, newest, oldestUnfinished, stopAt } = value as Record<string, JsonValue | undefined>;
  const time = (candidate: JsonValue | undefined): number | null => (typeof candidate === 'number' ? candidate : null);
  return {
    cursor: typeof cursor === 'string' ? cursor : null,
    count: typeof count === 'number' ? count : 0,
    hidden: typeof hidden === 'number' ? hidden : 0,
    newest: time(newest),
    oldestUnfinished: time(oldestUnfinished),
    stopAt: time(stopAt),
  };
}
