import type { Clock } from './surroundings.js';
import { after } from './surroundings.js';
import type { KeyRing } from './tokens/key-ring.js';

/** Another server may rotate the keys; this one learns of it within this time, or at the first token that needs it. */
const freshSeconds = 60;
/** After this much idling the ring may be too old to sign with: the first request then waits for the new one. */
const staleSeconds = 120;
/** Tokens with made-up key ids must not make the server read the keys for each of them. */
const leastSecondsBetween = 5;

/**
 * Keeps the ring in memory. When it cannot be read again, the one at hand is used on: the database being away is no
 * reason to forget the keys.
 *
 * @param first the ring at the start
 * @param load reads the ring
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
      // A token that names an unknown key waits for the new ring; others go on with the present one while it is fresh enough.
      if (refresh || now >= after(loadedAt, staleSeconds)) await loading;
    }
    return ring;
  };
}
