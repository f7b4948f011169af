import { addressOf, allowedAddresses } from '../../outbound/addresses.js';

/**
 * What is wrong with the base URL of an integration, for people; null when it can be used.
 *
 * An admin chooses the URL, so it is a way to make this server send requests (OWASP: server-side request forgery). This
 * check refuses early what can be seen in the URL. The address of a name is checked when a connection is made
 * (`src/outbound`): what a name leads to may change.
 *
 * @param networks networks (CIDR) beside the public addresses that code hosts may be in
 */
export function faultOfBaseUrl(baseUrl: string, networks: readonly string[]): string | null {
  if (!URL.canParse(baseUrl)) return 'must be a URL like https://host or https://host/path';
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://';
  // Every admin sees the URL.
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password; the token does that';
  if (url.search !== '' || url.hash !== '') return 'must end with the path, without ? and #';
  const address = addressOf(url.hostname);
  if (address !== null && !allowedAddresses({ networks })(address)) {
    return 'must not be an address of a private network; the operator can allow networks with INTEGRATION_NETWORKS';
  }
  return null;
}
