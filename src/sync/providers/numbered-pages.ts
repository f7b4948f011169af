/** Reads a page of a list that is paginated by number, in smaller parts if the host cannot answer all of it at once. */
import { isUnanswered } from '../failures.js';

export const PER_PAGE = 100;
const PARTS = 10;

/** More unreadable entries on one page than this are a failure of the host. */
const MOST_SKIPPED = 10;

interface NumberedPage {
  readonly items: readonly unknown[];
  readonly hasNext: boolean;
}

export interface NumberedList {
  /** Reads one page. Pages are numbered from 1. */
  read(page: number, perPage: number): Promise<NumberedPage>;
  /** A light request. It fails if the host does not answer at all. */
  probe(): Promise<unknown>;
}

/** `skipped`: the number of entries that the host cannot answer. */
export async function readNumberedPage(
  list: NumberedList,
  page: number,
): Promise<NumberedPage & { readonly skipped: number }> {
  try {
    return { ...(await list.read(page, PER_PAGE)), skipped: 0 };
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    await list.probe();
  }
  return readParts(list, page, PER_PAGE / PARTS);
}

async function readParts(
  list: NumberedList,
  page: number,
  perPart: number,
): Promise<NumberedPage & { readonly skipped: number }> {
  const items: unknown[] = [];
  let skipped = 0;
  for (let part = (page - 1) * PARTS + 1; part <= page * PARTS; part += 1) {
    let hasNext = true;
    try {
      const read = await list.read(part, perPart);
      items.push(...read.items);
      hasNext = read.hasNext;
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      if (perPart === 1) skipped += 1;
      else {
        const smaller = await readParts(list, part, perPart / PARTS);
        items.push(...smaller.items);
        skipped += smaller.skipped;
        hasNext = smaller.hasNext;
      }
      if (skipped > MOST_SKIPPED) throw error;
    }
    if (!hasNext) return { items, hasNext, skipped };
  }
  return { items, hasNext: true, skipped };
}
