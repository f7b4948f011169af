/** Writes a list as PostgreSQL reads it: `{"a","b"}` (https://www.postgresql.org/docs/current/arrays.html, 8.15.6). */
export function writeTexts(items: readonly string[]): string {
  return `{${items.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** Reads a list of one dimension without nulls, which is all that our columns hold. */
export function readTexts(text: string): string[] {
  const items = text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/gs);
  return [...items].map(([, quoted, plain]) => quoted?.replaceAll(/\\(.)/gs, '$1') ?? plain ?? '');
}
