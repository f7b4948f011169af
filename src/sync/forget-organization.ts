/** Removes all stored data of an organization: its repositories, and the files that it has set. */
import { forgetRepository } from './forget-repository.js';
import { tableNamed } from './records.js';
import { PROVIDERS } from './targets.js';
import type { CorrectableResources } from './work-units/derivation/resources.js';

/** Removes the organization of the resources. If a removal is interrupted, the next one completes it. */
export async function forgetOrganization(resources: CorrectableResources): Promise<void> {
  const { orgId, records, sink } = resources;
  for (const { id } of await records.repositories(orgId)) {
    for await (const rows of sink.scan(tableNamed('repos'), id)) {
      // There is one row. Its source is that of the latest sync, which is waited for.
      const source = PROVIDERS.find((name) => rows.some((row) => row['source'] === name)) ?? 'local';
      await forgetRepository(resources, id, source);
    }
  }
  await records.clearFiles(orgId);
}
