import type { Surroundings } from '../surroundings.js';
import type { Lock, LockKey, Sink } from './sink.js';

/** How long to wait before asking again for a lock that is held. */
export const LOCK_POLL_MILLISECONDS = 1000;

/**
 * Those who want the same lock take turns, where the database has one for it.
 *
 * @param mustWait called once, when it is held
 */
export async function waitForLock(
  sink: Sink,
  key: LockKey,
  { sleep, signal }: Pick<Surroundings, 'sleep' | 'signal'>,
  mustWait: () => void = () => undefined,
): Promise<Lock> {
  for (let tries = 0; ; tries += 1) {
    const lock = await sink.tryLock(key);
    if (lock !== undefined) return lock;
    if (tries === 0) mustWait();
    await sleep(LOCK_POLL_MILLISECONDS, signal);
  }
}
