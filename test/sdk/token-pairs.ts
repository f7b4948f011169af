import type { TokenPair, TokenStore } from '../../sdk/src/index.js';
import { tokens } from './platform-server.js';

/** The nth token pair, as a store holds it. */
export function pair(n: number): TokenPair {
  const { access_token, refresh_token } = tokens(n);
  return { access_token, refresh_token };
}

/** A store that answers later, as one across a process boundary does. */
export function slowStore(initial: TokenPair | null): TokenStore {
  let held = initial;
  const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    get: async () => (await later(), held),
    set: async (next) => {
      await later();
      held = next;
    },
    clear: async () => {
      await later();
      held = null;
    },
  };
}
