/** Removing all that is stored of a repository: its records, its work units, and how far its syncs have come. */
import type { Lock } from './sinks/sink.js';
import { waitForLock } from './sinks/wait-for-lock.js';
import { TABLES } from './records.js';
import { TARGETS, type ProviderName } from './targets.js';
import { underLock } from './work-units/derivation-lock.js';
import type { WorkUnitDeriver } from './work-units/deriver.js';

/**
 * Removes a repository of an organization. An interrupted removal is finished by the next one.
 *
 * It holds seven locks at once, each on a connection of its own: a sink for three repositories at a time has enough.
 *
 * No sync of this source and no derivation of its work units is under way meanwhile.
 *
 * @param repoId a repository of which nothing is stored is no error
 */
export async function forgetRepository(deriver: WorkUnitDeriver, repoId: string, source: ProviderName): Promise<void> {
  const { sink, surroundings } = deriver;
  const locks: Lock[] = [];
  try {
    for (const target of TARGETS) locks.push(await waitForLock(sink, { repoId, target, source }, surroundings));
    await underLock(deriver, repoId, () => remove(deriver, repoId));
  } finally {
    for (const lock of locks) await lock.release();
  }
}

/** The states go first: what an interrupted removal leaves is read again by the next sync, and not taken for complete. */
async function remove({ orgId, sink, records, store }: WorkUnitDeriver, repoId: string): Promise<void> {
  await sink.clearStates(repoId);
  await records.clear(repoId);
  for await (const units of store.scan(orgId, repoId)) {
    await store.apply({ orgId, repoId, units: [], removed: units.map(({ id }) => id) });
  }
  for (const table of TABLES) await sink.clear(table, repoId);
}
