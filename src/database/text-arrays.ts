/**
 * Writes a list in PostgreSQL's array syntax: `{"a","b"}` (https://www.postgresql.org/docs/current/arrays.html,
 * 8.15.6).
 */
export function writeTexts(items: readonly string[]): string {
  return `{${items.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** Reads a one-dimensional array without nulls. Our columns contain no others. */
export function readTexts(text: string): string[] {
  const items = text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/gs);
  return [...items].map(([, quoted, plain]) => quoted?.replaceAll(/\\(.)/gs, '$1') ?? plain ?? '');
}
