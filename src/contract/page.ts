/** Pagination of lists, the same in all contracts. */
import type { ValidationFailed } from '../../generated/contract/problems.js';
import { validationProblem } from './violations.js';

/** The shape of a list reply in all contracts. */
export interface Page<Item> {
  readonly items: Item[];
  readonly next_cursor: string | null;
}

/** The problem (422) for a cursor that the server did not issue. */
export function unreadableCursor(): ValidationFailed {
  const message = 'must be the next_cursor of an earlier page, unchanged';
  return validationProblem([{ path: '/query/cursor', rule: 'format', message }]);
}

export function encodeCursor(position: string): string {
  return Buffer.from(position).toString('base64url');
}

/** @returns null if the text is not a result of `encodeCursor` */
export function decodeCursor(cursor: string): string | null {
  const position = Buffer.from(cursor, 'base64url').toString();
  return position !== '' && encodeCursor(position) === cursor ? position : null;
}
