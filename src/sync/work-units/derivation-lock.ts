/** Derivations of one repository take turns. */
import { cleanedUp } from '../cleaned-up.js';
import type { LockKey } from '../sinks/sink.js';
import { tryRenewedLock, waitForLock, type RenewedLock } from '../sinks/wait-for-lock.js';
import type { WorkUnitDeriver } from './deriver.js';

/**
 * Runs the action while no other derivation of the repository runs.
 *
 * @param action its deriver is aborted when the lock is lost
 */
export async function underLock<Result>(
  deriver: WorkUnitDeriver,
  repoId: string,
  action: (deriver: WorkUnitDeriver) => Promise<Result>,
): Promise<Result> {
  const lock = await waitForLock(deriver.sink, lockOf(repoId), deriver.dependencies);
  return cleanedUp(
    () => action(whileHeld(deriver, lock)),
    () => lock.release(),
  );
}

/** The same lock, held until it is released; undefined while another derivation has it. */
export function tryDerivationLock(
  { sink, dependencies }: WorkUnitDeriver,
  repoId: string,
): Promise<RenewedLock | undefined> {
  return tryRenewedLock(sink, lockOf(repoId), dependencies.now);
}

/** A deriver that is aborted when the lock is lost. */
export function whileHeld(deriver: WorkUnitDeriver, lock: RenewedLock): WorkUnitDeriver {
  const signal = AbortSignal.any([deriver.dependencies.signal, lock.signal]);
  return { ...deriver, dependencies: { ...deriver.dependencies, signal } };
}

function lockOf(repoId: string): LockKey {
  return { repoId, target: 'work_units', source: 'local' };
}
