import type { ValidationFailed } from '../../generated/problems.js';
import { validationProblem } from '../contract/violations.js';

/** Where a page begins: behind the item with this time and id. Lists are sorted by both, so that it is unambiguous. */
export interface Position {
  readonly at: Date;
  readonly id: string;
}

const cursorPattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * Reads the query parameter `cursor`. It names an item and not a number of items, so that what is added or removed
 * while somebody pages neither repeats nor skips anything else.
 *
 * @returns `position` null for the first page; the problem (422) for a cursor that no page has given out
 */
export function readCursor(
  cursor: string | undefined,
): { readonly position: Position | null } | { readonly refusal: ValidationFailed } {
  if (cursor === undefined) return { position: null };
  const [, time = '', id = ''] = cursorPattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const at = new Date(time);
  // Nothing is older than 1970, and years below 1 have no form that PostgreSQL reads.
  if (at.getTime() >= 0) return { position: { at, id } };
  const message = 'must be the next_cursor of an earlier page, unchanged';
  return { refusal: validationProblem([{ path: '/query/cursor', rule: 'format', message }]) };
}

/**
 * Makes a page of rows that were read with a limit one above that of the page: the one too many tells that more follow.
 *
 * @param limit the most items of the page
 * @param positionOf the columns that the list is sorted by
 */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => Position,
): { readonly page: Row[]; readonly nextCursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, nextCursor: rows.length > limit && last !== undefined ? cursorOf(positionOf(last)) : null };
}

function cursorOf({ at, id }: Position): string {
  return Buffer.from(`${at.toISOString()} ${id}`).toString('base64url');
}
