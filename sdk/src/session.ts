import type { AnyResult } from './result.js';
import { tokenPairOf, type TokenPair, type TokenStore } from './tokens.js';

/** Exchanges a refresh token for a reply that carries the next pair; null: there is nobody to ask. */
export type Refresh = (refreshToken: string) => Promise<AnyResult | null>;

/** Gives a pair to go on with after `rejected` was refused, or null when there is none. */
export type Renew = (rejected: string) => Promise<TokenPair | null>;

/** Exchanges of tokens, one at a time. */
export interface Renewal {
  /** Renews tokens that were refused; callers at the same time share one exchange. */
  readonly renew: Renew;
  /** Makes a call whose reply replaces the tokens. It gets the way to renew tokens until it has ended. */
  exclusively<Result>(call: (renew: Renew) => Promise<Result>): Promise<Result>;
}

/**
 * Makes one exchange at a time: a refresh token works once, and a second use would look like a theft. So a refresh must
 * not send the token that an organization switch, for example, is about to replace.
 *
 * @param store where the tokens are; another process may change it meanwhile
 */
export function createRenewal(store: TokenStore, refresh: Refresh): Renewal {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(exchange: () => Promise<Result>): Promise<Result> => {
    const result = last.then(exchange);
    last = result.catch(() => undefined);
    return result;
  };
  let underWay: Promise<TokenPair | null> | null = null;
  return {
    renew: async (rejected) => {
      // The store is read inside the exchange: a caller who read it before could still see tokens that are used up.
      underWay ??= inTurn(() => renew(store, refresh, rejected)).finally(() => {
        underWay = null;
      });
      return otherThan(rejected, await underWay);
    },
    exclusively: (call) =>
      inTurn(() => call(async (rejected) => otherThan(rejected, await renew(store, refresh, rejected)))),
  };
}

function otherThan(rejected: string, tokens: TokenPair | null): TokenPair | null {
  return tokens?.access_token === rejected ? null : tokens;
}

async function renew(store: TokenStore, refresh: Refresh, rejected: string): Promise<TokenPair | null> {
  const held = await store.get();
  if (held === null || held.access_token !== rejected) return held; // renewed since the refused request was sent
  if (held.refresh_token === undefined) return null;
  // The caller gets the 401 that led here, whatever kept the exchange from working; the tokens stay for another try.
  const result = await refresh(held.refresh_token).catch(() => null);
  const now = await store.get();
  if (now?.refresh_token !== held.refresh_token) return now; // a login, a logout or another process came first
  const tokens = result?.ok === true ? tokenPairOf(result.data) : null;
  if (tokens !== null) await store.set(tokens);
  else if (result?.status === 401) await store.clear();
  return tokens;
}
