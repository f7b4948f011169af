import type { AccessClaims } from './claims.js';
import type { KeyRing } from './key-ring.js';

/** Enough for the callers of some minutes; at about 1 kB each, some megabytes at most. */
const capacity = 5000;

/** Caches access tokens whose signature has been checked. */
export interface VerifiedTokens {
  /** @returns null when the token is unknown or has expired */
  find(token: string, ring: KeyRing, now: Date): AccessClaims | null;
  remember(token: string, ring: KeyRing, claims: AccessClaims): void;
}

/**
 * A client sends the same access token for 15 minutes, and checking its signature costs more than the rest of a small
 * request. The signature of the same bytes under the same key cannot change, so its outcome is cached. Expiry and the
 * database are checked every time. A change of the keys clears the cache.
 */
export function createVerifiedTokens(): VerifiedTokens {
  const known = new Map<string, AccessClaims>();
  let knownUnder: KeyRing | null = null;
  return {
    find: (token, ring, now) => {
      const claims = ring === knownUnder ? known.get(token) : undefined;
      return claims !== undefined && claims.expiresAt > now ? claims : null;
    },
    remember: (token, ring, claims) => {
      if (ring !== knownUnder) {
        known.clear();
        knownUnder = ring;
      }
      const [oldest] = known.keys();
      if (known.size >= capacity && oldest !== undefined) known.delete(oldest);
      known.set(token, claims);
    },
  };
}
