/** Connections of outbound calls. Connections to addresses that are not allowed are refused. */
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { Dispatcher } from 'undici';
import { addressOf, allowedAddresses, type AddressPolicy } from './addresses.js';

type Found = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** `dns.lookup`; tests pass a function whose answers change. */
export type Lookup = (hostname: string, options: LookupOptions, found: Found) => void;

/** The connection was refused, because its address is not allowed. */
class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/** Time for the TCP connection and the TLS handshake. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Creates the connections for `policy`.
 *
 * The check is part of the look-up that the connection uses: two look-ups of a name could return two addresses (DNS
 * rebinding). A name is refused if any of its addresses is not allowed.
 *
 * Only calls of the operator use HTTP_PROXY, HTTPS_PROXY and NO_PROXY: the address that a proxy connects to cannot be
 * checked here.
 */
export async function openDispatcher(policy: AddressPolicy, lookup: Lookup = systemLookup): Promise<Dispatcher> {
  const { Agent, buildConnector, EnvHttpProxyAgent } = await import('undici');
  const timeout = CONNECT_TIMEOUT_MS;
  if (policy === 'any') return new (hasProxy(process.env) ? EnvHttpProxyAgent : Agent)({ connect: { timeout } });

  const isAllowed = allowedAddresses(policy);
  const connect = buildConnector({ timeout, lookup: checked(lookup, isAllowed) });
  return new Agent({
    connect: (options, done) => {
      // Sockets do not look up numeric addresses.
      const address = addressOf(options.hostname);
      if (address === null || isAllowed(address)) connect(options, done);
      else done(new ForbiddenAddressError(`${address} is not an allowed address`), null);
    },
  });
}

function checked(lookup: Lookup, isAllowed: (address: string) => boolean): Lookup {
  return (hostname, options, found) => {
    lookup(hostname, options, (error, address, family) => {
      const addresses = error !== null ? [] : typeof address === 'string' ? [address] : address.map((a) => a.address);
      const forbidden = addresses.find((each) => !isAllowed(each));
      if (forbidden === undefined) found(error, address, family);
      else
        found(new ForbiddenAddressError(`${hostname} resolves to ${forbidden}, which is not an allowed address`), []);
    });
  };
}

function hasProxy(environment: NodeJS.ProcessEnv): boolean {
  return Object.entries(environment).some(([name, value]) => /^https?_proxy$/i.test(name) && (value ?? '') !== '');
}
