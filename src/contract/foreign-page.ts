import type { IncomingMessage } from 'node:http';

/**
 * Tells whether a browser sends this request for a page of another site. `Origin` and `Sec-Fetch-Site` are set by the
 * browser, and a page cannot forge them (Fetch standard, forbidden request-headers).
 *
 * @param ownOrigins origins that count as this server's own, besides the one that `Host` names
 * @returns the page in words; null: the request comes from an own page, or not from a browser
 */
export function foreignPageOf({ headers }: IncomingMessage, ownOrigins: readonly string[] = []): string | null {
  const { origin, host = '', 'sec-fetch-site': site = 'none' } = headers;
  const isOwnOrigin = origin === undefined || isOriginOf(origin, host) || ownOrigins.includes(origin);
  if ((site === 'same-origin' || site === 'none') && isOwnOrigin) return null;
  return origin === undefined || origin === 'null' ? 'another site' : origin;
}

/** The scheme may differ, where a proxy that stands before the server ends TLS. */
function isOriginOf(origin: string, hostField: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === hostField.toLowerCase();
}
