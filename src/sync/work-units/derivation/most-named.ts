/** The name that stands most often in a list, then the first in their order; undefined: all are empty. */
export function mostNamed(names: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
  const [most] = [...counts].sort(([one, times], [other, more]) => more - times || (one < other ? -1 : 1));
  return most?.[0];
}
