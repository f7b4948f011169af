/** Parts of the query string that change; null: the part is removed; a list: the part occurs once for each. */
export type SearchParts = Readonly<Record<string, string | readonly string[] | null>>;

/** A query string with some parts changed. */
export function withParts(search: URLSearchParams, parts: SearchParts): URLSearchParams {
  const changed = new URLSearchParams(search);
  for (const [name, value] of Object.entries(parts)) {
    changed.delete(name);
    for (const each of value === null ? [] : [value].flat()) changed.append(name, each);
  }
  return changed;
}
