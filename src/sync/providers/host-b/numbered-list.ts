/**
 * Reads a list of host_b that is sorted by time, latest first. Its pages are numbered, and the host refuses those beyond
 * an offset (50,000 entries; an administrator can change it) with 405. The list then begins again before the time of the
 * last entry that was read.
 */
import { SyncError } from '../../failures.js';
import type { Listing } from '../newest-first.js';
import { PER_PAGE, readNumberedPage, type NumberedList } from '../numbered-pages.js';
import { pageNumber } from '../page-number.js';
import { readObject, type JsonObject } from '../read.js';
import { onePage, readPage } from './client.js';
import type { HostBProject } from './project.js';

type Options = Readonly<Record<string, unknown>>;

export interface TimedList {
  /** Requests a page with these options, and with those that limit it to entries before a time. */
  request(options: Options): Promise<unknown>;
  sortedBy(item: JsonObject): number;
  /** The options for entries before a time, in epoch milliseconds; `step` is the precision of that time. */
  before(time: number): Options;
  readonly step: number;
}

/** A page of the list of entries before a time; undefined: of all entries. */
interface Cursor {
  readonly page: number;
  readonly before: number | undefined;
}

/** The `fetch` of a listing. */
export function timedPages({ gitlab, id }: HostBProject, list: TimedList): Listing<JsonObject>['fetch'] {
  const numbered = ({ before }: Cursor): NumberedList => ({
    read: async (page, perPage) => {
      const limit = before === undefined ? {} : list.before(before);
      const { items, next } = readPage(await list.request({ ...limit, ...onePage(page, perPage) }));
      return { items, hasNext: next !== null };
    },
    probe: () => gitlab.Projects.show(id),
  });
  const nextWindow = async (cursor: Cursor): Promise<Cursor> => {
    const { items } = await numbered(cursor).read(cursor.page - 1, PER_PAGE);
    const last = items.at(-1);
    const { before = Infinity } = cursor;
    const until = last === undefined ? before : list.sortedBy(readObject(last, 'item'));
    // The last entry is read again. Times are compared more precisely than they are printed.
    const end = (Math.floor(until / list.step) + 1) * list.step;
    return { page: 1, before: Math.min(end, before - list.step) };
  };
  return async (text) => {
    let cursor = parseCursor(text);
    for (;;) {
      try {
        const { items, hasNext, skipped } = await readNumberedPage(numbered(cursor), cursor.page);
        const next = hasNext ? formatCursor({ ...cursor, page: cursor.page + 1 }) : null;
        return { items: items.map((item) => readObject(item, 'item')), next, skipped };
      } catch (error) {
        if (!(error instanceof SyncError) || error.status !== 405 || cursor.page === 1) throw error;
        cursor = await nextWindow(cursor);
      }
    }
  };
}

function parseCursor(text: string | null): Cursor {
  const [page = null, before] = text?.split(' ') ?? [];
  return { page: pageNumber(page), before: before === undefined ? undefined : Number(before) };
}

function formatCursor({ page, before }: Cursor): string {
  return before === undefined ? String(page) : `${page} ${before}`;
}
