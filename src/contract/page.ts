/** Pages of lists, as every contract has them. */
import type { ValidationFailed } from '../../generated/problems.js';
import { validationProblem } from './violations.js';

/** A page as the contracts have it: every list has this shape. */
export interface Page<Item> {
  readonly items: Item[];
  readonly next_cursor: string | null;
}

/** The problem (422) for a cursor that no page issued. */
export function unreadableCursor(): ValidationFailed {
  const message = 'must be the next_cursor of an earlier page, unchanged';
  return validationProblem([{ path: '/query/cursor', rule: 'format', message }]);
}

export function encodeCursor(position: string): string {
  return Buffer.from(position).toString('base64url');
}

/** @returns null for what `encodeCursor` never answers */
export function decodeCursor(cursor: string): string | null {
  const position = Buffer.from(cursor, 'base64url').toString();
  return position !== '' && encodeCursor(position) === cursor ? position : null;
}
