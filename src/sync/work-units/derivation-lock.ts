/** Derivations of one repository take turns, where the database has a lock for it. */
import type { Lock, LockKey } from '../sinks/sink.js';
import { waitForLock } from '../sinks/wait-for-lock.js';
import type { WorkUnitDeriver } from './deriver.js';

/**
 * Runs the action while no other derivation of the repository runs.
 *
 * @param held another lock, which is renewed meanwhile
 */
export async function underLock<Result>(
  { sink, surroundings }: WorkUnitDeriver,
  repoId: string,
  held: Lock | undefined,
  action: () => Promise<Result>,
): Promise<Result> {
  const lock = renewed(await waitForLock(sink, lockOf(repoId), surroundings), held);
  try {
    return await action();
  } finally {
    await lock.release();
  }
}

/** The same lock, held until it is released; undefined while another derivation has it. */
export async function tryDerivationLock(
  { sink }: WorkUnitDeriver,
  repoId: string,
  held: Lock | undefined,
): Promise<Lock | undefined> {
  const lock = await sink.tryLock(lockOf(repoId));
  return lock === undefined ? undefined : renewed(lock, held);
}

function lockOf(repoId: string): LockKey {
  return { repoId, target: 'work_units', source: 'local' };
}

/** Well below the time that a lease lasts; a renewal that fails is followed by another one. */
const RENEW_MILLISECONDS = 20_000;

function renewed(lock: Lock, other: Lock | undefined): Lock {
  const renewal = setInterval(() => {
    for (const each of [lock, other]) each?.renew().catch(() => {});
  }, RENEW_MILLISECONDS);
  return {
    renew: () => lock.renew(),
    async release() {
      clearInterval(renewal);
      await lock.release();
    },
  };
}
