import type { Surroundings } from '../surroundings.js';
import type { Lock, LockKey, Sink } from './sink.js';

/** How long to wait before asking again for a lock that is held. */
export const LOCK_POLL_MILLISECONDS = 1000;

/**
 * Those who want the same lock take turns. It is renewed until it is released.
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
    const lock = await tryRenewedLock(sink, key);
    if (lock !== undefined) return lock;
    if (tries === 0) mustWait();
    await sleep(LOCK_POLL_MILLISECONDS, signal);
  }
}

/** As `Sink.tryLock`; the lock is renewed until it is released, also while a host asks for patience. */
export async function tryRenewedLock(sink: Sink, key: LockKey): Promise<Lock | undefined> {
  const lock = await sink.tryLock(key);
  if (lock === undefined) return undefined;
  const renewal = setInterval(() => {
    // One that fails is followed by another.
    lock.renew().catch(() => undefined);
  }, RENEW_MILLISECONDS);
  renewal.unref();
  return {
    renew: () => lock.renew(),
    async release() {
      clearInterval(renewal);
      await lock.release();
    },
  };
}

/** Well below the time that a lease lasts. */
const RENEW_MILLISECONDS = 20_000;
