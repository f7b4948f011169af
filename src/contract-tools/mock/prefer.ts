const token = "[!#$%&'*+.^_`|~\\w-]+";
const quoted = '"(?:[^"\\\\]|\\\\.)*"';
const preference = new RegExp(
  `[\\s,]*(${token})\\s*(?:=\\s*(${quoted}|${token})?)?\\s*((?:;\\s*(?:${token}\\s*(?:=\\s*(?:${quoted}|${token})?)?)?\\s*)*)(?:,|$)`,
  'y',
);

/**
 * Reads the preferences of a `Prefer` header (RFC 7240, section 2): names in lower case, and values without quotes.
 * The first of several with one name counts. What follows a syntax error is ignored.
 */
export function readPreferences(header: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  preference.lastIndex = 0;
  for (let match = preference.exec(header); match !== null; match = preference.exec(header)) {
    const [, name = '', value = ''] = match;
    const text = value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), text);
    if (preference.lastIndex >= header.length) break;
  }
  return found;
}
