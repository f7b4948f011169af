/** Selects what `images` and `volumes` list. */
import { membersOf, type Member } from '../orchestrator/actual-state.js';
import type { Selection } from '../orchestrator/lifecycle.js';
import type { VolumeRecord } from '../runtime/records.js';

/**
 * All containers of the services, including one-off ones, sorted by name.
 *
 * @throws OrchestratorError.serviceNotFound
 */
export function chosenOf(present: readonly Member[], selection: Selection): Member[] {
  const { services, name } = selection;
  membersOf(present, services, name, definedIn(selection));
  return present
    .filter(({ service }) => services.length === 0 || services.includes(service))
    .sort((one, other) => (one.container.name < other.container.name ? -1 : 1));
}

/**
 * The volumes that the services mount, all without services, sorted by name.
 *
 * @param observe returns the containers of the project
 * @throws OrchestratorError.serviceNotFound
 */
export async function volumesOf(
  found: readonly VolumeRecord[],
  selection: Selection,
  observe: () => Promise<readonly Member[]>,
): Promise<VolumeRecord[]> {
  const { services, name } = selection;
  const present = found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  if (services.length === 0) return present;
  const members = membersOf(await observe(), services, name, definedIn(selection));
  const sources = new Set(members.flatMap(({ container }) => container.mounts.map(({ source }) => source)));
  return present.filter((volume) => sources.has(volume.name));
}

function definedIn({ project }: Selection): string[] {
  return Object.keys({ ...project?.services, ...project?.disabledServices });
}
