import { BlockList, isIP } from 'node:net';

/**
 * Which addresses the server may be sent to by the base URL of an integration.
 *
 * Admins choose it, so it is a way to make this server send requests (OWASP: server-side request forgery). Loopback and
 * private networks are allowed nevertheless, because self-hosted code hosts live there. What is refused is where no
 * code host is and cloud machines get their own credentials: link-local addresses (RFC 3927, RFC 4291) and the
 * metadata services outside of those. Beyond that, a caller learns no more of an address than whether a code host
 * answers there: replies are never shown, and redirects never followed.
 */
const refused = new BlockList();
refused.addSubnet('169.254.0.0', 16, 'ipv4');
refused.addSubnet('fe80::', 10, 'ipv6');
refused.addAddress('100.100.100.200', 'ipv4'); // Alibaba Cloud
refused.addAddress('168.63.129.16', 'ipv4'); // Azure
refused.addAddress('fd00:ec2::254', 'ipv6'); // Amazon EC2

/** Ways to write an IPv4 address as IPv6: mapped (RFC 4291), NAT64 (RFC 6052). The block list knows the former. */
const nat64 = new BlockList();
nat64.addSubnet('64:ff9b::', 96, 'ipv6');

/** @param address a numeric IP address, without brackets */
export function isRefusedAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  if (isIP(plain) === 4) return refused.check(plain, 'ipv4');
  return refused.check(plain, 'ipv6') || nat64.check(plain, 'ipv6');
}

/** The name of a URL's host, or its address without brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/**
 * What is wrong with a base URL, for people; null when it can be used. Names are looked up only when the host is asked:
 * what they lead to may change.
 */
export function faultOfBaseUrl(baseUrl: string): string | null {
  if (!URL.canParse(baseUrl)) return 'must be a URL like https://host or https://host/path';
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://';
  // It is shown to every admin.
  if (url.username !== '' || url.password !== '') return 'must not hold a user or a password; the token does that';
  if (url.search !== '' || url.hash !== '') return 'must end with the path, without ? and #';
  const host = hostOf(url);
  if (isIP(host) !== 0 && isRefusedAddress(host)) return 'must not be a link-local address';
  return null;
}
