/** Reads an address pool of a network. */
import { textOf } from '../json.js';
import type { AddressPool } from '../spec.js';

export function addressPool(pool: { subnet: unknown; gateway: unknown; range?: unknown }): AddressPool {
  const [subnet, gateway, range] = [textOf(pool.subnet), textOf(pool.gateway), textOf(pool.range)];
  return {
    ...(subnet !== '' && { subnet }),
    ...(gateway !== '' && { gateway }),
    ...(range !== '' && { range }),
  };
}
