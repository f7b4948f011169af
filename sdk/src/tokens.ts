/** The tokens of a caller, with the names of the API. */
export interface TokenPair {
  /** Sent as `Authorization: Bearer <token>`. */
  readonly access_token: string;
  /** Can be exchanged for the next pair, once. Without it, a rejected access token is not renewed. */
  readonly refresh_token?: string;
}

/** A token store: memory, a cookie jar, a keychain. Methods may be asynchronous. */
export interface TokenStore {
  get(): TokenPair | null | Promise<TokenPair | null>;
  set(tokens: TokenPair): void | Promise<void>;
  clear(): void | Promise<void>;
  /**
   * Runs an exchange of tokens while no other process runs one with the same store. A store that several processes share
   * needs it: a refresh token that is sent twice looks like a theft.
   */
  exclusively?<Result>(exchange: () => Promise<Result>): Promise<Result>;
}

/** Keeps one token, whatever calls return. */
export function fixedTokenStore(token: string): TokenStore {
  const held: TokenPair = { access_token: token };
  return { get: () => held, set: () => undefined, clear: () => undefined };
}

/** Keeps tokens in memory. */
export function memoryTokenStore(initial: TokenPair | null = null): TokenStore {
  let held = initial;
  return {
    get: () => held,
    set: (tokens) => {
      held = tokens;
    },
    clear: () => {
      held = null;
    },
  };
}

/** A store that calls `listener` after each change. */
export function observedStore(store: TokenStore, listener: (tokens: TokenPair | null) => void): TokenStore {
  return {
    get: () => store.get(),
    set: async (tokens) => {
      await store.set(tokens);
      listener(tokens);
    },
    clear: async () => {
      await store.clear();
      listener(null);
    },
    exclusively: (exchange) => exclusivelyIn(store, exchange),
  };
}

/** Runs an exchange as the store demands. */
export function exclusivelyIn<Result>(store: TokenStore, exchange: () => Promise<Result>): Promise<Result> {
  return store.exclusively === undefined ? exchange() : store.exclusively(exchange);
}

/** Returns `value` as a token pair, or null. */
export function tokenPairOf(value: unknown): TokenPair | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!('access_token' in value) || !('refresh_token' in value)) return null;
  const { access_token, refresh_token } = value;
  return typeof access_token === 'string' && typeof refresh_token === 'string' ? { access_token, refresh_token } : null;
}
