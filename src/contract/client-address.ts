import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import proxyAddr from 'proxy-addr';
import type { Log } from './contract-types.js';

/** The maximum length of an element of the header in the log. */
const longestLogged = 64;

/**
 * Reads the address of the caller of a request: the peer's, or the one that trusted proxies report in `X-Forwarded-For`.
 * Warns of the first element there that is not an address: all callers of such a proxy look like one.
 *
 * @param trustedProxies addresses and networks (CIDR)
 * @throws Error when a trusted proxy is not an address or network
 */
export function createClientAddress(
  trustedProxies: readonly string[],
  log: Pick<Log, 'warn'>,
): (request: IncomingMessage) => string {
  const isTrusted = trustedProxies.length === 0 ? () => false : proxyAddr.compile([...trustedProxies]);
  let hasWarned = false;
  const warn = (proxy: string, element: string): void => {
    if (hasWarned || element === '') return;
    hasWarned = true;
    const message =
      'A trusted proxy sends X-Forwarded-For with an element that is not an address; its callers count as one';
    log.warn({ proxy, element: element.slice(0, longestLogged) }, message);
  };
  return ({ socket, headers }) => {
    let address = withoutMapping(socket.remoteAddress ?? 'unknown');
    if (!isTrusted(address, 0)) return address;
    const hops = String(headers['x-forwarded-for'] ?? '').split(',');
    for (const [index, hop] of hops.reverse().entries()) {
      const forwarded = withoutMapping(withoutPort(hop.trim()));
      // Some proxies forward `unknown`: use the nearest hop that is an address.
      if (isIP(forwarded) === 0) {
        warn(address, hop.trim());
        return address;
      }
      address = forwarded;
      if (!isTrusted(address, index + 1)) return address;
    }
    return address;
  };
}

/** Some proxies forward the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const [, v6 = '', v4 = ''] = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? [];
  if (isIPv6(v6)) return v6;
  return isIPv4(v4) ? v4 : hop;
}

/** An IPv4 peer of a dual-stack socket appears as `::ffff:192.0.2.1`; it is the same caller. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
