/** Timestamps in ClickHouse's default format in UTC: RFC 3339 with a space instead of T, and without the Z. */

export function momentText(iso: string): string {
  return iso.replace('T', ' ').replace('Z', '');
}

/** Converts a timestamp to RFC 3339. @param moment the text from ClickHouse */
export function isoText(moment: unknown): string {
  return `${String(moment).replace(' ', 'T')}Z`;
}
