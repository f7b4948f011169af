/** Moments as ClickHouse reads and writes them in UTC by default: RFC 3339 with a blank for the T, and without the Z. */

export function momentText(iso: string): string {
  return iso.replace('T', ' ').replace('Z', '');
}

/** The moment in RFC 3339. @param moment the text that ClickHouse gives */
export function isoText(moment: unknown): string {
  return `${String(moment).replace(' ', 'T')}Z`;
}
