/** Removes all stored data of a repository: its records, its work units, and the states of its syncs. */
import { waitForLock, type RenewedLock } from './sinks/wait-for-lock.js';
import { TABLES } from './records.js';
import { TARGETS, type ProviderName } from './targets.js';
import { underLock } from './work-units/derivation/resources.js';
import type { CorrectableResources } from './work-units/derivation/resources.js';

/**
 * Removes a repository of an organization. If a removal is interrupted, the next one completes it.
 *
 * It holds eight locks, each on a separate connection; a sink for three concurrent repositories has enough.
 *
 * Meanwhile no sync of this source and no derivation of its work units runs.
 *
 * @param repoId a repository without stored data is not an error
 */
export async function forgetRepository(
  resources: CorrectableResources,
  repoId: string,
  source: ProviderName,
): Promise<void> {
  const { sink, dependencies } = resources;
  const locks: RenewedLock[] = [];
  try {
    for (const target of TARGETS) locks.push(await waitForLock(sink, { repoId, target, source }, dependencies));
    await underLock(resources, repoId, (held) =>
      remove({ ...held, corrections: resources.corrections }, repoId, locks),
    );
  } finally {
    for (const lock of locks) await lock.release();
  }
}

/**
 * The states are removed first. If the removal is interrupted, the next sync reads the repository again instead of
 * treating the remaining data as complete. The row of the repository itself is removed last, so that a removal of its
 * organization finds it again.
 */
async function remove(
  { orgId, sink, records, store, corrections, dependencies }: CorrectableResources,
  repoId: string,
  locks: readonly RenewedLock[],
): Promise<void> {
  const assertHeld = async (): Promise<void> => {
    dependencies.signal.throwIfAborted();
    for (const lock of locks) await lock.assertHeld();
  };
  await sink.clearStates(repoId);
  await records.clear(repoId);
  await corrections.clearCorrections(orgId, repoId);
  for await (const units of store.scan(orgId, repoId)) {
    await assertHeld();
    await store.apply({ orgId, repoId, units: [], removed: units.map(({ id }) => id) });
  }
  for (const table of TABLES.toReversed()) {
    await assertHeld();
    await sink.clear(table, repoId);
  }
}
