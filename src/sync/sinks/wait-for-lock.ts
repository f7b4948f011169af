import { SyncError } from '../failures.js';
import type { SyncDependencies } from '../dependencies.js';
import { LEASE_MILLISECONDS, lockLost } from './lease.js';
import type { Lock, LockKey, Sink } from './sink.js';

/** How long to wait before asking again for a lock that is held. */
export const LOCK_POLL_MILLISECONDS = 1000;

/** Well below the time that a lease lasts. */
const RENEW_MILLISECONDS = 20_000;

/** A lock that is renewed until it is released, and that says when it is lost: then its holder must stop writing. */
export interface RenewedLock {
  /** Aborted, with a SyncError (`lock_lost`) as its reason, when the lock is lost. */
  readonly signal: AbortSignal;
  /**
   * To be called before each step that writes. After a pause of the process (a suspended machine) it asks the database.
   *
   * @throws SyncError (`lock_lost`)
   */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Those who want the same lock take turns. It is renewed until it is released.
 *
 * @param mustWait called once, when it is held
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

/** As `Sink.tryLock`; the lock is renewed until it is released, also while a host asks for patience. */
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
      // A renewal that fails otherwise is followed by another, until the lease must have expired.
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
