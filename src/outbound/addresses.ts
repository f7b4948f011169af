/** Which IP addresses an outbound call may connect to. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * `any`: calls of the operator, who runs the command line on the operator's own behalf.
 * `networks`: calls for an organization. Public addresses are allowed, and these networks (CIDR) besides.
 */
export type AddressPolicy = 'any' | { readonly networks: readonly string[] };

/** Azure's metadata and DNS server has an address of a public range, but only virtual machines reach it. */
const METADATA_ADDRESSES = ['168.63.129.16'];

/** Global unicast addresses (RFC 4291, section 2.4). Everything outside is special, whatever a registry will say of it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Tells whether an address may be connected to. The address is numeric, without brackets; a zone is ignored. */
export function allowedAddresses(policy: AddressPolicy): (address: string) => boolean {
  if (policy === 'any') return () => true;
  const networks = policy.networks.map(parseNetwork);
  return (address) => {
    const parsed = parse(address);
    if (parsed === null) return false;
    return isPublic(parsed) || networks.some((network) => parsed.kind() === network[0].kind() && parsed.match(network));
  };
}

/** The numeric address that a URL names as its host, or null for a name. */
export function addressOf(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

/** An IPv4 address written as IPv6 (`::ffff:10.0.0.1`) counts as the IPv4 address, which is what is connected to. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const [bare = ''] = address.split('%');
  return isIP(bare) === 0 ? null : ipaddr.process(bare);
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || METADATA_ADDRESSES.includes(address.toString())) return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

/** `10.0.0.0/8`, or an address alone. */
function parseNetwork(network: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (network.includes('/')) return ipaddr.parseCIDR(network);
  const address = ipaddr.parse(network);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
