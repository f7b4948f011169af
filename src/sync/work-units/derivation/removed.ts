/** Brings the units of a repository up to date after commits were removed from its records. */
import { repositoryContext } from './plan.js';
import { underLock, type DerivationResources } from './resources.js';
import { deriveAfterRemoval, type RemovedRecords } from './write.js';

/**
 * Removes the units, links and closings of commits and requests whose records are gone, and derives the requests again
 * that contained the commits. Records that are stored, because another source has them, keep their units.
 */
export function deriveRemoved(resources: DerivationResources, repoId: string, removed: RemovedRecords): Promise<void> {
  return underLock(resources, repoId, async (held) => {
    const { orgId, records, store, dependencies } = held;
    const context = await repositoryContext(held, repoId, await records.readProgress(repoId));
    if (context === undefined) return;
    await deriveAfterRemoval({ orgId, context, records, store, signal: dependencies.signal }, removed);
  });
}
