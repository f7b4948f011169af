/**
 * The largest number of deleted lines that may be young, found line by line: a maximum matching of deleted with added
 * lines by augmenting paths. It shares no code with what it is compared with.
 */

export interface TimedChange {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly added: number;
  readonly deleted: number;
}

const YOUNG = 21 * 86_400_000;

/**
 * @param changes of one file, one after the other
 * @param from deleted lines count from this moment on
 */
export function mostReworked(changes: readonly TimedChange[], from: number): number {
  const added = changes.flatMap(({ at, added: lines }, index) => Array.from({ length: lines }, () => ({ at, index })));
  const deleted = changes.flatMap(({ at, deleted: lines }, index) =>
    at < from ? [] : Array.from({ length: lines }, () => ({ at, index })),
  );
  /** The deleted line that each added line is matched with. */
  const matched = new Map<number, number>();
  const augment = (line: number, seen: Set<number>): boolean => {
    const own = deleted[line];
    for (const [candidate, { at, index }] of added.entries()) {
      if (own === undefined || index >= own.index || own.at - at > YOUNG || seen.has(candidate)) continue;
      seen.add(candidate);
      const other = matched.get(candidate);
      if (other !== undefined && !augment(other, seen)) continue;
      matched.set(candidate, line);
      return true;
    }
    return false;
  };
  return deleted.filter((_line, index) => augment(index, new Set())).length;
}
