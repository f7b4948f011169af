import type { Timing } from './retry.js';
import type { TokenPair, TokenStore } from './tokens.js';
import type { Fetch } from './transport.js';

export interface ClientOptions {
  /** Where the API is: `https://plumbline.example.com`. A path in it is kept. */
  readonly baseUrl: string;
  /** Sends the requests (default: the global `fetch`). */
  readonly fetch?: Fetch | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Where tokens are kept (default: in memory). */
  readonly tokens?: TokenStore | undefined;
  /** Told of each new token pair, and of null when the tokens are dropped. */
  readonly onTokens?: ((tokens: TokenPair | null) => void) | undefined;
  /** Attempts after the first one (default 2). */
  readonly retries?: number | undefined;
  /** Milliseconds that one attempt may take (default 30,000). */
  readonly timeoutMs?: number | undefined;
  /** The longest `Retry-After` that is waited for, in milliseconds (default 30,000). */
  readonly maxRetryDelayMs?: number | undefined;
  /** Clock, chance and sleep, for tests. */
  readonly timing?: Timing | undefined;
}
