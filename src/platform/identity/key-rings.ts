import type { Database } from '../../database/connection.js';
import type { Clock } from '../clock.js';
import type { PlatformDependencies } from '../dependencies.js';
import { createKeyRingCache } from './key-ring-cache.js';
import type { PlatformSettings } from '../server/settings.js';
import { createKeyRing, parseSigningKeys, publicPart, type KeyRing } from './tokens/key-ring.js';
import { loadStoredKeyRing } from './tokens/signing-keys.store.js';

/**
 * Returns the current key ring; `refresh` reloads it. Its keys are those of the settings, otherwise those of the
 * database.
 */
export async function keyRings(
  settings: PlatformSettings,
  database: Database,
  secrets: PlatformDependencies['secrets'],
  clock: Clock,
): Promise<(refresh: boolean) => Promise<KeyRing>> {
  if (settings.jwtPrivateKeys !== null) {
    const [signing, ...others] = await parseSigningKeys(settings.jwtPrivateKeys);
    const ring = await createKeyRing(signing, others.map(publicPart));
    return () => Promise.resolve(ring);
  }
  const load = (): Promise<KeyRing> => loadStoredKeyRing(database.sql, secrets, clock);
  return createKeyRingCache(await load(), load, clock);
}
