import { SyncError } from '../failures.js';
import type { SyncDependencies } from '../dependencies.js';
import { LEASE_MILLISECONDS, lockLost } from './lease.js';
import type { Lock, LockKey, Sink } from './sink.js';

/** The interval between attempts to take a lock that is held. */
export const LOCK_POLL_MILLISECONDS = 1000;

/** Much shorter than the duration of a lease. */
const RENEW_MILLISECONDS = 20_000;

/** A lock that is renewed until it is released. If it is lost, its holder is notified and must stop writing. */
export interface RenewedLock {
  /** Aborted when the lock is lost, with a SyncError (`lock_lost`) as its reason. */
  readonly signal: AbortSignal;
  /**
   * Call it before each write. After a pause of the process (a suspended machine) it checks the lock in the database.
   *
   * @throws SyncError (`lock_lost`)
   */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Waits for a lock, and renews it until it is released.
 *
 * @param mustWait called once, if another process holds the lock
 */
export async function waitForLock(
  sink: Pick<Sink, 'tryLock'>,
  key: LockKey,
  { sleep, signal, now }: Pick<SyncDependencies, 'sleep' | 'signal' | 'now'>,
  mustWait: () => void = () => undefined,
): Promise<RenewedLock> {
  for (let tries = 0; ; tries += 1) {
    const lock = await tryRenewedLock(sink, key, now);
    if (lock !== undefined) return lock;
    if (tries === 0) mustWait();
    await sleep(LOCK_POLL_MILLISECONDS, signal);
  }
}

/** Like `Sink.tryLock`, but renews the lock until it is released, even while a host delays requests. */
export async function tryRenewedLock(
  sink: Pick<Sink, 'tryLock'>,
  key: LockKey,
  now: () => number,
): Promise<RenewedLock | undefined> {
  const lock = await sink.tryLock(key);
  if (lock === undefined) return undefined;
  return renewed(lock, now);
}

function renewed(lock: Lock, now: () => number): RenewedLock {
  const lost = new AbortController();
  let confirmedAt = now();
  const confirm = async (): Promise<void> => {
    const asked = now();
    try {
      await lock.renew();
      confirmedAt = asked;
    } catch (error) {
      // Other failed renewals are retried until the lease must have expired.
      if (error instanceof SyncError && error.code === 'lock_lost') lost.abort(error);
      else if (asked - confirmedAt >= LEASE_MILLISECONDS) lost.abort(lockLost(error));
    }
  };
  lock.lost?.addEventListener('abort', () => {
    lost.abort(lock.lost?.reason);
  });
  const renewal = setInterval(() => void confirm(), RENEW_MILLISECONDS);
  renewal.unref();
  return {
    signal: lost.signal,
    async assertHeld() {
      if (now() - confirmedAt > 2 * RENEW_MILLISECONDS) await confirm();
      lost.signal.throwIfAborted();
    },
    async release() {
      clearInterval(renewal);
      await lock.release();
    },
  };
}
