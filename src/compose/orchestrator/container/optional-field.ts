/**
 * Returns an entry only if there is a value. In specifications an absent field means the engine's default, and an
 * undefined field is a type error.
 */
export function optionalField<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  const entry: Partial<Record<K, V>> = {};
  if (value !== undefined) entry[key] = value;
  return entry;
}
