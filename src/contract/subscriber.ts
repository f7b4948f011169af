import ipaddr from 'ipaddr.js';

/**
 * The part of an address that identifies one subscriber, for rate limits. An IPv6 customer has at least a whole /64, and
 * could otherwise use a new address for every request.
 */
export function subscriberOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
