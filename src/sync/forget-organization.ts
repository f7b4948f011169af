/** Removes what is stored for an organization: repositories, files that it has set, whom it has erased, and its readers. */
import { idOfErasures } from './erasure/erasures.js';
import { forgetStoredRepository } from './forget-repository.js';
import type { CorrectableResources } from './work-units/derivation/resources.js';

/** Removes the organization of the resources. If a removal is interrupted, the next one completes it. */
export async function forgetOrganization(resources: CorrectableResources): Promise<void> {
  const { orgId, records, sink } = resources;
  for (const { id } of await records.repositories(orgId)) await forgetStoredRepository(resources, id);
  await records.clearFiles(orgId);
  await sink.clearStates(idOfErasures(orgId));
  await sink.removeReaders?.(orgId);
}
