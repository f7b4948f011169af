import { createApiClient } from '../client.js';
import type { ClientOptions } from '../client-options.js';
import type { ComposeClient } from '../generated/compose/operations.js';
import type { Fetch } from '../transport.js';
import { baseUrlOf, parseAddress, type Endpoint } from './address.js';

/** A way to a server; `nodeTransport` of `@plumbline/sdk/compose/node` makes one for sockets and certificates. */
export type Transport = (endpoint: Endpoint) => Fetch;

export interface ComposeClientOptions extends Omit<ClientOptions, 'baseUrl' | 'tokens' | 'onTokens'> {
  /** Where the server listens: `unix:///path/to/socket`, `tcp://host:port` or `tls://host:port`. */
  readonly address: string;
  /** How to reach it (default: `fetch`, which knows no Unix sockets and no client certificates). */
  readonly transport?: Transport | undefined;
  /** Milliseconds that one attempt may take (default 600,000: to bring a project up takes its time). */
  readonly timeoutMs?: number | undefined;
}

const defaultTimeoutMs = 600_000;

/**
 * Makes a client of a compose server.
 *
 * @throws TypeError when `address` is none, or is a Unix socket and there is no `transport`
 */
export function createComposeClient(options: ComposeClientOptions): ComposeClient {
  const { address, transport, timeoutMs = defaultTimeoutMs, ...others } = options;
  const endpoint = parseAddress(address);
  if (endpoint.scheme === 'unix' && transport === undefined && options.fetch === undefined) {
    throw new TypeError('A unix:// address needs transport: nodeTransport() of @plumbline/sdk/compose/node');
  }
  const fetch = options.fetch ?? transport?.(endpoint);
  return createApiClient('compose', { ...others, timeoutMs, fetch, baseUrl: baseUrlOf(endpoint) }, null);
}
