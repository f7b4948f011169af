import type { Clock } from '../clock.js';
import { after } from '../clock.js';
import type { KeyRing } from './tokens/key-ring.js';

/**
 * After a key rotation on another server, this one reloads the keys within this time, or at the first token with a new
 * key.
 */
const freshSeconds = 60;
/** After this time the ring may be too old for signing; the next request then waits for a reload. */
const staleSeconds = 120;
/** Rate limit for reloads, because tokens with invented key ids must not cause a reload each. */
const leastSecondsBetween = 5;

/**
 * Caches the key ring. If it cannot be reloaded, the cached ring remains in use, so that tokens still work while the
 * database is down.
 *
 * @param first the initial ring
 * @param load loads the ring
 */
export function createKeyRingCache(
  first: KeyRing,
  load: () => Promise<KeyRing>,
  clock: Clock,
): (refresh: boolean) => Promise<KeyRing> {
  let ring = first;
  let loadedAt = clock.now();
  let loading: Promise<void> | null = null;
  return async (refresh) => {
    const now = clock.now();
    const isDue = now >= after(loadedAt, refresh ? leastSecondsBetween : freshSeconds);
    if (isDue) {
      loading ??= load()
        .then((loaded) => {
          ring = loaded;
        })
        .catch(() => undefined)
        .finally(() => {
          loadedAt = clock.now();
          loading = null;
        });
      // A token with an unknown key waits for the reload. Others use the cached ring while it is fresh enough.
      if (refresh || now >= after(loadedAt, staleSeconds)) await loading;
    }
    return ring;
  };
}
