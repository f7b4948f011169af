/** Derivations of one repository take turns. */
import { cleanedUp } from '../cleaned-up.js';
import type { Lock, LockKey } from '../sinks/sink.js';
import { tryRenewedLock, waitForLock } from '../sinks/wait-for-lock.js';
import type { WorkUnitDeriver } from './deriver.js';

/** Runs the action while no other derivation of the repository runs. */
export async function underLock<Result>(
  { sink, surroundings }: WorkUnitDeriver,
  repoId: string,
  action: () => Promise<Result>,
): Promise<Result> {
  const lock = await waitForLock(sink, lockOf(repoId), surroundings);
  return cleanedUp(action, () => lock.release());
}

/** The same lock, held until it is released; undefined while another derivation has it. */
export function tryDerivationLock({ sink }: WorkUnitDeriver, repoId: string): Promise<Lock | undefined> {
  return tryRenewedLock(sink, lockOf(repoId));
}

function lockOf(repoId: string): LockKey {
  return { repoId, target: 'work_units', source: 'local' };
}
