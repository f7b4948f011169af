/** Which IP addresses an outbound call may connect to. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * `any`: calls of the operator, through the command line.
 * `networks`: calls for an organization. Allows public addresses, and these networks (CIDR).
 */
export type AddressPolicy = 'any' | { readonly networks: readonly string[] };

/** Azure's metadata and DNS server has a public address, but only virtual machines can reach it. */
const METADATA_ADDRESSES = ['168.63.129.16'];

/**
 * Global unicast addresses (RFC 4291, section 2.4). All other addresses are special, even if a registry assigns them
 * later.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Decides whether connections to an address are allowed. The address is numeric, without brackets; a zone is ignored. */
export function allowedAddresses(policy: AddressPolicy): (address: string) => boolean {
  if (policy === 'any') return () => true;
  const networks = policy.networks.map(parseNetwork);
  return (address) => {
    const parsed = parse(address);
    if (parsed === null) return false;
    return isPublic(parsed) || networks.some((network) => parsed.kind() === network[0].kind() && parsed.match(network));
  };
}

/** The numeric address in the host of a URL, or null for a name. */
export function addressOf(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

/** An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) counts as its IPv4 address, because that is the real target. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const [bare = ''] = address.split('%');
  return isIP(bare) === 0 ? null : ipaddr.process(bare);
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || METADATA_ADDRESSES.includes(address.toString())) return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

/** `10.0.0.0/8`, or a single address. */
function parseNetwork(network: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (network.includes('/')) return ipaddr.parseCIDR(network);
  const address = ipaddr.parse(network);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
