/** Cursors of lists that are paginated by number. */

/** The page number of a cursor; 1 without a cursor. */
export function pageNumber(cursor: string | null): number {
  const page = Number(cursor ?? 1);
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}
