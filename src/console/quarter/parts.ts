/** The parts that work consists of, now and before, and which of them explains a change. */

/** Figures of fewer units, requests, deployments or incidents are not compared: they differ by chance. */
export const fewest = 10;

/** A figure of the period and of the one before; null: it is not known. */
export interface Pair {
  readonly now: number | null;
  readonly before: number | null;
}

export interface Part extends Pair {
  readonly key: string;
}

interface Item {
  readonly key: string;
  readonly value: number;
}

/** The server lists at most this number of parts. A part that is missing in such a list is not 0. */
export const mostParts = 50;

/**
 * Puts two breakdowns beside each other.
 *
 * @param before null: what was before is not known, or not known completely
 */
export function partsFrom(now: readonly Item[], before: readonly Item[] | null): readonly Part[] {
  const keys = new Set([...now, ...(before ?? [])].map(({ key }) => key));
  return [...keys].map((key) => ({
    key,
    now: valueIn(now, key),
    before: before === null ? null : valueIn(before, key),
  }));
}

function valueIn(items: readonly Item[], key: string): number | null {
  const item = items.find((candidate) => candidate.key === key);
  return item?.value ?? (items.length < mostParts ? 0 : null);
}

/** The sum of a breakdown; null: not known. */
export function sumOf(items: readonly Item[] | null): number | null {
  return items === null ? null : items.reduce((sum, { value }) => sum + value, 0);
}

/** Whether both figures are known and about enough to be compared. */
export function isEnough({ now, before }: Pair): boolean {
  return now !== null && before !== null && now >= fewest && before >= fewest;
}

/** By how much a part changed; 0 where that is not known. */
export function changeIn({ now, before }: Pair): number {
  return now === null || before === null ? 0 : now - before;
}

/**
 * The part with the largest change in the direction of the whole; undefined: none has one.
 *
 * @param direction of the whole: above 0 for more, below for less
 */
export function largestPart<Any extends Pair>(parts: readonly Any[], direction: number): Any | undefined {
  const sign = Math.sign(direction);
  const [largest] = parts
    .filter((part) => changeIn(part) * sign > 0)
    .toSorted((one, other) => changeIn(other) * sign - changeIn(one) * sign);
  return largest;
}

/** Parts as shares of the whole, which is not 0. */
export function sharesFrom(parts: readonly Part[], total: Pair): readonly Part[] {
  const share = (value: number | null, whole: number | null): number | null =>
    value === null || whole === null || whole === 0 ? null : value / whole;
  return parts.map(({ key, now, before }) => ({
    key,
    now: share(now, total.now),
    before: share(before, total.before),
  }));
}

/** Largest changes first; where nothing can be compared, largest shares. */
export function byChange(one: Part, other: Part): number {
  const change = Math.abs(changeIn(other)) - Math.abs(changeIn(one));
  return change === 0 ? (other.now ?? 0) - (one.now ?? 0) : change;
}
