import type { FileContent } from '../model/file-content.js';
import type { Project } from '../model/project/project.js';
import type { Metadata } from './manifests.js';
import { projectLabels, selectorOf } from './names.js';
import type { Notes } from './notes.js';

/** What the steps of a conversion share. */
export interface Conversion {
  readonly project: Project;
  /** The values of secrets and configs with `environment:`, by `<section>.<name>`. */
  readonly held: ReadonlyMap<string, FileContent>;
  /** The object names of services, volumes, secrets, configs and networks by their keys. */
  readonly names: Readonly<Record<Section, ReadonlyMap<string, string>>>;
  readonly notes: Notes;
}

export type Section = 'services' | 'volumes' | 'secrets' | 'configs' | 'networks';

/** The object name of a key. */
export function nameOf({ names }: Conversion, section: Section, key: string): string {
  return names[section].get(key) ?? key;
}

/** Metadata of an object that belongs to no service. */
export function metadataOf({ project }: Conversion, name: string): Metadata {
  return { name, labels: projectLabels(project) };
}

/** Metadata of an object of a service. @param name that of the object */
export function serviceMetadata(conversion: Conversion, service: string, name: string): Metadata {
  const { project } = conversion;
  const selector = selectorOf(project, nameOf(conversion, 'services', service));
  return { name, labels: { ...projectLabels(project), ...selector } };
}
