/** Removes all stored data of a repository: its records, its work units, and the states of its syncs. */
import { TABLES } from './records.js';
import { latestSource, whileIdle } from './repository-locks.js';
import type { ProviderName } from './providers/registry.js';
import type { CorrectableResources } from './work-units/derivation/resources.js';

/**
 * Removes a repository of an organization. If a removal is interrupted, the next one completes it.
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
  await whileIdle(sink, { repoId, source }, dependencies, (assertHeld) => remove(resources, repoId, assertHeld));
}

/** Removes a repository of which a row is stored. See `forgetRepository`. */
export async function forgetStoredRepository(resources: CorrectableResources, repoId: string): Promise<void> {
  const source = await latestSource(resources.sink, repoId);
  if (source !== undefined) await forgetRepository(resources, repoId, source);
}

/**
 * The states are removed first. If the removal is interrupted, the next sync reads the repository again instead of
 * treating the remaining data as complete. The row of the repository itself is removed last, so that a removal of its
 * organization finds it again.
 */
async function remove(
  { orgId, sink, records, store, corrections }: CorrectableResources,
  repoId: string,
  assertHeld: () => Promise<void>,
): Promise<void> {
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
