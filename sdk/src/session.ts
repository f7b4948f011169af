import type { AnyResult } from './result.js';
import { exclusivelyIn, tokenPairOf, type TokenPair, type TokenStore } from './tokens.js';

/** Exchanges a refresh token for a reply with the next pair; null: there is no server to ask. */
export type Refresh = (refreshToken: string) => Promise<AnyResult | null>;

/** Returns a new pair after `rejected` was rejected, or null if there is none. */
export type Renew = (rejected: string) => Promise<TokenPair | null>;

/** Token exchanges, one at a time. */
export interface Renewal {
  /** Renews rejected tokens; concurrent callers share one exchange. */
  readonly renew: Renew;
  /** Makes a call whose reply replaces the tokens. The call can renew tokens while it runs. */
  exclusively<Result>(call: (renew: Renew) => Promise<Result>): Promise<Result>;
}

/**
 * Serializes token exchanges: a refresh token can be used once, and a second use would look like a theft. So a refresh
 * must not send a token that another exchange, such as an organization switch, is about to replace.
 *
 * @param store the token store; other processes may change it concurrently
 */
export function createRenewal(store: TokenStore, refresh: Refresh): Renewal {
  let last: Promise<unknown> = Promise.resolve();
  const serialized = <Result>(exchange: () => Promise<Result>): Promise<Result> => {
    const result = last.then(() => exclusivelyIn(store, exchange));
    last = result.catch(() => undefined);
    return result;
  };
  let underWay: Promise<TokenPair | null> | null = null;
  return {
    renew: async (rejected) => {
      // Read the store inside the exchange: tokens read before it may be used up by now.
      underWay ??= serialized(() => renew(store, refresh, rejected)).finally(() => {
        underWay = null;
      });
      return otherThan(rejected, await underWay);
    },
    exclusively: (call) =>
      serialized(() => call(async (rejected) => otherThan(rejected, await renew(store, refresh, rejected)))),
  };
}

function otherThan(rejected: string, tokens: TokenPair | null): TokenPair | null {
  return tokens?.access_token === rejected ? null : tokens;
}

async function renew(store: TokenStore, refresh: Refresh, rejected: string): Promise<TokenPair | null> {
  const held = await store.get();
  if (held === null || held.access_token !== rejected) return held; // renewed since the refused request was sent
  if (held.refresh_token === undefined) return null;
  // If the exchange fails, the caller gets the original 401; the tokens stay for another attempt.
  const result = await refresh(held.refresh_token).catch(() => null);
  const now = await store.get();
  if (now?.refresh_token !== held.refresh_token) return now; // a login, a logout or another process came first
  const tokens = result?.ok === true ? tokenPairOf(result.data) : null;
  if (tokens !== null) await store.set(tokens);
  else if (result?.status === 401) await store.clear();
  return tokens;
}
