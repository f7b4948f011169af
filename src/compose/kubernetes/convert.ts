/** Converts a compose project to Kubernetes objects. */
import type { FileContent } from '../model/file-content.js';
import { withoutUnusedResources } from '../model/project/listings.js';
import type { Project } from '../model/project/project.js';
import { filterValues } from '../model/project/records.js';
import { policiesOf, servicesOf } from './access.js';
import type { Conversion, Section } from './conversion.js';
import { fileObjects } from './files.js';
import type { Manifest } from './manifests.js';
import { objectNames } from './names.js';
import { Notes, type Note } from './notes.js';
import { sharedClaims } from './storage.js';
import { noteUnsupported } from './unsupported.js';
import { workloadOf } from './workload.js';

export interface Converted {
  /** In an order in which they can be created. */
  readonly manifests: readonly Manifest[];
  /** What was left out or changed, in the order of the paths. */
  readonly notes: readonly Note[];
}

/**
 * Converts the enabled services and the resources that they use. Reads the files of secrets and configs, and single
 * files that are mounted.
 *
 * @param held the values of secrets and configs with `environment:`, by `<section>.<name>`
 * @throws ComposeFailure YamlError.unreadable for a file of a secret or config that cannot be read,
 * ComposeValidationError.unsupported for one that is too large for a cluster
 */
export async function convertToKubernetes(loaded: Project, held: ReadonlyMap<string, FileContent>): Promise<Converted> {
  const notes = new Notes();
  const used = withoutUnusedResources(loaded);
  noteUnsupported(used, notes);
  const project = { ...used, services: filterValues(used.services, ({ provider }) => provider === undefined) };
  const names = (section: Section): ReadonlyMap<string, string> =>
    objectNames(section, Object.keys(project[section]), notes);
  const conversion: Conversion = {
    project,
    held,
    notes,
    names: {
      services: names('services'),
      volumes: names('volumes'),
      secrets: names('secrets'),
      configs: names('configs'),
      networks: names('networks'),
    },
  };
  const services = Object.keys(project.services).sort();
  const workloads: Manifest[] = [];
  for (const key of services) workloads.push(...(await workloadOf(conversion, key)));
  return {
    manifests: [
      ...(await fileObjects(conversion)),
      ...sharedClaims(conversion),
      ...policiesOf(conversion),
      ...services.flatMap((key) => servicesOf(conversion, key)),
      ...workloads,
    ],
    notes: notes.all(),
  };
}
