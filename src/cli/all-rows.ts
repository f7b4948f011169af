import type { Position } from '../platform/server/paging.js';

/** Rows that are read at once. */
const batch = 500;

/** The rows of a list in its order. @param most rows that are wanted; default: all */
export async function* allRows<Row>(
  select: (position: Position | null, limit: number) => Promise<Row[]>,
  positionOf: (row: Row) => Position,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<Row> {
  let position: Position | null = null;
  for (let left = most; left > 0; left -= batch) {
    const rows = await select(position, Math.min(batch, left));
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
    position = positionOf(last);
  }
}
