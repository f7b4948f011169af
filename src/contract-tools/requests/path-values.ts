/**
 * The decoded values of a path that fits a template such as `/things/{thing_id}`.
 *
 * @returns names and values; empty when the path does not fit or does not decode
 */
export function pathValues(template: string, path: string): [string, string][] {
  const names = [...template.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
  const parts = template.split('/');
  try {
    // A value may have an encoded slash, and a text of the template encoded letters.
    const segments = path.split('/').map(decodeURIComponent);
    const values =
      segments.length === parts.length ? parts.map((part, index) => valuesIn(part, segments[index] ?? '')) : [];
    return values.every((each) => each !== null)
      ? values.flat().map((value, index) => [names[index] ?? '', value])
      : [];
  } catch {
    return [];
  }
}

/** The values in a segment; null: it does not fit. */
function valuesIn(part: string, segment: string): string[] | null {
  const texts = part.split(/\{[^}]*\}/).map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${texts.join('(.*)')}$`, 's').exec(segment)?.slice(1) ?? null;
}
