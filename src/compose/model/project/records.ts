/**
 * Records with keys from files. A name such as `constructor` must not find an inherited member, and `__proto__` must
 * not change one.
 */

/** The value of an own key. */
export function own<V>(record: Readonly<Record<string, V>>, key: string): V | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A record with the same keys and mapped values. */
export function mapValues<V, R>(
  record: Readonly<Record<string, V>>,
  change: (value: V, key: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** The entries that satisfy a predicate. */
export function filterValues<V>(
  record: Readonly<Record<string, V>>,
  test: (value: V, key: string) => boolean,
): Record<string, V> {
  return Object.fromEntries(Object.entries(record).filter(([key, value]) => test(value, key)));
}
