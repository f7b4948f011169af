import type { ValidationFailed } from '../../../generated/problems.js';
import { encodeCursor, unreadableCursor, type Page } from '@plumbline/contract/page';

/**
 * The start of a page: after the item with this time and id. Lists are sorted by both, so that the position is unique.
 */
export interface Position {
  readonly at: Date;
  readonly id: string;
}

const cursorPattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * Parses the query parameter `cursor`. A cursor identifies an item, not an offset, so that concurrent inserts and
 * deletes neither repeat nor skip other items.
 *
 * @returns `position` null for the first page; the problem (422) for a cursor that the server did not issue
 */
export function readCursor(
  cursor: string | undefined,
): { readonly position: Position | null } | { readonly refusal: ValidationFailed } {
  if (cursor === undefined) return { position: null };
  const [, time = '', id = ''] = cursorPattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const at = new Date(time);
  // No item is older than 1970, and PostgreSQL cannot parse years below 1.
  if (at.getTime() >= 0) return { position: { at, id } };
  return { refusal: unreadableCursor() };
}

/** Describes how to read one list. */
export interface PagedList<Row, Item> {
  /** Reads at most `limit` rows after `position`, in the order of the list; null: from the start. */
  select(position: Position | null, limit: number): Promise<readonly Row[]>;
  /** The columns that the list is sorted by. */
  positionOf(row: Row): Position;
  /** The row as the contract defines it. */
  itemOf(row: Row): Item;
}

/**
 * Replies with a page of a list. Reads one additional row, to determine whether more follow.
 * @param query `limit`: the maximum number of items; `cursor`: `next_cursor` of the previous page
 * @returns the reply: the page (200), or the problem for an invalid cursor (422)
 */
export async function replyWithPage<Row, Item>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  { select, positionOf, itemOf }: PagedList<Row, Item>,
): Promise<{ readonly status: 200; readonly body: Page<Item> } | ValidationFailed> {
  const start = readCursor(cursor);
  if ('refusal' in start) return start.refusal;
  const rows = await select(start.position, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? cursorOf(positionOf(last)) : null;
  return { status: 200, body: { items: page.map(itemOf), next_cursor: nextCursor } };
}

function cursorOf({ at, id }: Position): string {
  return encodeCursor(`${at.toISOString()} ${id}`);
}
