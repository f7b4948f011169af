/**
 * An entry only where there is a value: in specifications an absent field is the engine's default, and an undefined
 * one is a type error.
 */
export function given<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  const entry: Partial<Record<K, V>> = {};
  if (value !== undefined) entry[key] = value;
  return entry;
}
