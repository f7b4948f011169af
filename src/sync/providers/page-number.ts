/** Cursors of lists that are numbered by pages. */

/** The number of the page that a cursor stands for; the first one without a cursor. */
export function pageNumber(cursor: string | null): number {
  const page = Number(cursor ?? 1);
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}
