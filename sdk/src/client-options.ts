import type { Middleware } from 'openapi-fetch';
import type { Timing } from './retry.js';
import type { TokenPair, TokenStore } from './tokens.js';
import type { AttemptReport, Fetch } from './transport.js';

export interface ClientOptions {
  /** The address of the API: `https://plumbline.example.com`. May include a path. */
  readonly baseUrl: string;
  /** Sends requests (default: the global `fetch`). */
  readonly fetch?: Fetch | undefined;
  /**
   * Hooks around each call, in the form of openapi-fetch: `onRequest` may return another request or a reply,
   * `onResponse` another reply. They run once per call, outside of retries and before the client adds the access token.
   * Read a body from a clone: `await response.clone().text()`.
   */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Called after each attempt; true writes to `console.debug`. A report has no tokens, bodies, or values of a query. */
  readonly debug?: boolean | ((report: AttemptReport) => void) | undefined;
  /** Whether to go on when the server has another major version of the API (default false: `ApiVersionError`). */
  readonly ignoreApiVersion?: boolean | undefined;
  /** Headers of all requests. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Headers of each request that continue your trace, such as `traceparent`: called when a request is made. Not needed
   * where `fetch` is instrumented, which adds them itself.
   */
  readonly traceContext?: (() => Readonly<Record<string, string>>) | undefined;
  /**
   * A service token, which the client sends with every call instead of a user's tokens. It never changes: the client
   * neither renews it nor adopts tokens of replies.
   */
  readonly token?: string | undefined;
  /** The token store (default: in memory). */
  readonly tokens?: TokenStore | undefined;
  /** Called with each new token pair, and with null when the tokens are dropped. */
  readonly onTokens?: ((tokens: TokenPair | null) => void) | undefined;
  /** Maximum number of retries (default 2). */
  readonly retries?: number | undefined;
  /** Time limit of one attempt in milliseconds (default 30,000). */
  readonly timeoutMs?: number | undefined;
  /** The longest `Retry-After` to wait for, in milliseconds (default 30,000). */
  readonly maxRetryDelayMs?: number | undefined;
  /** Clock, random source and sleep, for tests. */
  readonly timing?: Timing | undefined;
}
