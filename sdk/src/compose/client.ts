import { createApiClient } from '../client.js';
import type { ClientOptions } from '../client-options.js';
import { apiVersion, type ComposeClient } from '../generated/compose/operations.js';
import type { Fetch } from '../transport.js';
import { baseUrlOf, parseAddress, type Endpoint } from './address.js';

/** Connects to a server; `nodeTransport` of `@plumbline/sdk/compose/node` supports sockets and certificates. */
export type Transport = (endpoint: Endpoint) => Fetch;

export interface ComposeClientOptions extends Omit<ClientOptions, 'baseUrl' | 'tokens' | 'onTokens'> {
  /** The server's address: `unix:///path/to/socket`, `tcp://host:port` or `tls://host:port`. */
  readonly address: string;
  /** The transport (default: `fetch`, which does not support Unix sockets and client certificates). */
  readonly transport?: Transport | undefined;
  /** Time limit of one attempt in milliseconds (default 600,000, because starting a project takes long). */
  readonly timeoutMs?: number | undefined;
}

const defaultTimeoutMs = 600_000;

/**
 * Creates a client of a compose server.
 *
 * @throws TypeError when `address` is invalid, or is a Unix socket and there is no `transport`
 */
export function createComposeClient(options: ComposeClientOptions): ComposeClient {
  const { address, transport, timeoutMs = defaultTimeoutMs, ...others } = options;
  const endpoint = parseAddress(address);
  if (endpoint.scheme === 'unix' && transport === undefined && options.fetch === undefined) {
    throw new TypeError('A unix:// address needs transport: nodeTransport() of @plumbline/sdk/compose/node');
  }
  const fetch = options.fetch ?? transport?.(endpoint);
  return createApiClient('compose', apiVersion, { ...others, timeoutMs, fetch, baseUrl: baseUrlOf(endpoint) }, null);
}
