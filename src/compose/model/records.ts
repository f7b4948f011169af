/**
 * Records whose keys come from files: a name such as `constructor` must not find what every object inherits, nor
 * `__proto__` change it.
 */

/** The value under a key of its own. */
export function own<V>(record: Readonly<Record<string, V>>, key: string): V | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The same keys with other values. */
export function mapValues<V, R>(
  record: Readonly<Record<string, V>>,
  change: (value: V, key: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** The entries that pass a test. */
export function filterValues<V>(
  record: Readonly<Record<string, V>>,
  test: (value: V, key: string) => boolean,
): Record<string, V> {
  return Object.fromEntries(Object.entries(record).filter(([key, value]) => test(value, key)));
}
