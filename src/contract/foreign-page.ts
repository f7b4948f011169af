import type { IncomingMessage } from 'node:http';

/**
 * Detects requests that a browser sends for a page of another site. The browser sets `Origin` and `Sec-Fetch-Site`, and
 * a page cannot forge them (Fetch standard, forbidden request-headers).
 *
 * @param ownOrigins origins of this server, besides the one that `Host` names
 * @returns a description of the page; null: the request comes from this server's pages, or not from a browser
 */
export function foreignPageOf({ headers }: IncomingMessage, ownOrigins: readonly string[] = []): string | null {
  const { origin, host = '', 'sec-fetch-site': site = 'none' } = headers;
  const isOwnOrigin = origin === undefined || isOriginOf(origin, host) || ownOrigins.includes(origin);
  if ((site === 'same-origin' || site === 'none') && isOwnOrigin) return null;
  return origin === undefined || origin === 'null' ? 'another site' : origin;
}

/** The scheme may differ, because a proxy in front of the server may terminate TLS. */
function isOriginOf(origin: string, hostField: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === hostField.toLowerCase();
}
