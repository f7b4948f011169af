import { addressOf, allowedAddresses } from '@plumbline/contract/outbound/addresses';

/**
 * The problem of an integration's base URL, as a message; null when it is valid.
 *
 * @param networks additional networks (CIDR) for code hosts, besides public addresses
 */
export function faultOfBaseUrl(baseUrl: string, networks: readonly string[]): string | null {
  const fault = faultOfTargetUrl(baseUrl, networks, 'use the token');
  if (fault !== null) return fault;
  const { search, hash } = new URL(baseUrl);
  return search === '' && hash === '' ? null : 'must end with the path, without ? and #';
}

/**
 * The problem of a URL that this server will call, as a message; null when it is valid.
 *
 * An admin chooses the URL, and can thereby make this server send requests (OWASP: server-side request forgery). This
 * check rejects URLs that are already recognizable as forbidden. The resolved address is checked when a connection is
 * made (`src/contract/outbound`), because a name may resolve differently then.
 *
 * @param networks additional networks (CIDR), besides public addresses
 * @param instead what to do instead of putting a password into it
 */
export function faultOfTargetUrl(text: string, networks: readonly string[], instead: string): string | null {
  if (!URL.canParse(text)) return 'must be a URL like https://host or https://host/path';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://';
  // Every admin can read the URL.
  if (url.username !== '' || url.password !== '') return `must not contain a user or a password; ${instead}`;
  const address = addressOf(url.hostname);
  if (address !== null && !allowedAddresses({ networks })(address)) {
    return 'must not be an address of a private network; the operator can allow networks with INTEGRATION_NETWORKS';
  }
  return null;
}
