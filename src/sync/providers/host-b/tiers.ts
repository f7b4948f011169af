/** The tiers of the environments of a project, such as `production`. The list of deployments does not name them. */
import { SyncError } from '../../failures.js';
import { readObject, readText, readTextOrNull } from '../read.js';
import { onePage, readPage } from './client.js';
import type { HostBProject } from './project.js';

/** Projects with an environment for each request can have thousands. The names decide about the others. */
const MOST_PAGES = 10;

/** @returns the tiers by the names of the environments; empty if the token may not read them */
export async function readTiers({ gitlab, id }: HostBProject): Promise<ReadonlyMap<string, string>> {
  const tiers = new Map<string, string>();
  for (let number = 1; number <= MOST_PAGES; number += 1) {
    const page = await readEnvironments(gitlab, id, number);
    for (const item of page?.items ?? []) {
      const environment = readObject(item, 'environment');
      const tier = readTextOrNull(environment['tier'], 'environment.tier');
      if (tier !== null) tiers.set(readText(environment['name'], 'environment.name'), tier);
    }
    if ((page?.next ?? null) === null) break;
  }
  return tiers;
}

async function readEnvironments(
  gitlab: HostBProject['gitlab'],
  project: number,
  number: number,
): Promise<ReturnType<typeof readPage> | null> {
  try {
    return readPage(await gitlab.Environments.all(project, onePage(number)));
  } catch (error) {
    if (error instanceof SyncError && (error.status === 403 || error.status === 404)) return null;
    throw error;
  }
}
