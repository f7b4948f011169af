/** Pages of what the backend lists as a whole. */
import type { ValidationFailed } from '../../../generated/problems.js';
import { decodeCursor, encodeCursor, unreadableCursor, type Page } from '@plumbline/contract/page';

/** How a list is sorted and shown. */
export interface PagedList<Record, Item> {
  /** What the list is sorted by, in the order of the code units: unique, and the same in every request. */
  positionOf(record: Record): string;
  /** The record as the contract shows it; called for those of the page only. */
  itemOf(record: Record): Item | Promise<Item>;
}

/**
 * Answers a request for a page of a list. The cursor names the last item of the page before and not a number of items,
 * so that items that are added or removed meanwhile neither repeat nor skip others.
 *
 * @param query `limit`: the most items of the page; `cursor`: `next_cursor` of the page before
 * @returns the reply: the page (200), or the problem for an unreadable cursor (422)
 */
export async function replyWithPage<Record, Item>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  records: readonly Record[],
  { positionOf, itemOf }: PagedList<Record, Item>,
): Promise<{ readonly status: 200; readonly body: Page<Item> } | ValidationFailed> {
  const start = cursor === undefined ? '' : decodeCursor(cursor);
  if (start === null) return unreadableCursor();
  const following = records
    .map((record) => ({ record, position: positionOf(record) }))
    .filter(({ position }) => position > start)
    .sort((one, other) => (one.position < other.position ? -1 : 1));
  const page = following.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = following.length > limit && last !== undefined ? encodeCursor(last.position) : null;
  return {
    status: 200,
    body: { items: await Promise.all(page.map(({ record }) => itemOf(record))), next_cursor: nextCursor },
  };
}

/**
 * The position of what has a time: the oldest come first, and by name what was created at the same time.
 *
 * @param createdAt RFC 3339, with any number of fractional digits
 */
export function byTime({ createdAt, id, name = '' }: Timed): string {
  const time = new Date(createdAt);
  const seconds = Number.isNaN(time.getTime()) ? '' : time.toISOString().slice(0, 19);
  const [, fraction = ''] = /\.(\d+)/.exec(createdAt) ?? [];
  return `${seconds}.${fraction.padEnd(9, '0')} ${name} ${id}`;
}

interface Timed {
  readonly createdAt: string;
  readonly id: string;
  readonly name?: string;
}
