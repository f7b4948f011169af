/** Names and labels of Kubernetes objects. */
import type { Project } from '../model/project/project.js';
import type { Notes } from './notes.js';

/** The longest label of a domain name (RFC 1035); a suffix such as `-published` must fit behind it. */
const MOST_CHARACTERS = 50;

/** A name that every kind of object accepts: lower case letters, digits and hyphens, a letter first. */
export function objectName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MOST_CHARACTERS)
    .replace(/-$/, '');
  return /^[a-z]/.test(plain) ? plain : `x-${plain}`.replace(/-$/, '');
}

/** The object names of keys of a compose file. Keys that would have the same name get a number. */
export function objectNames(section: string, keys: readonly string[], notes: Notes): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(
    keys.map((key) => {
      const plain = objectName(key);
      let name = plain;
      for (let number = 2; taken.has(name); number++) name = `${plain}-${number}`;
      taken.add(name);
      if (name !== key) notes.add(`${section}.${key}`, `is named '${name}', also in the cluster's DNS`);
      return [key, name];
    }),
  );
}

/** Labels of every object of a project. */
export function projectLabels({ name }: Project): Record<string, string> {
  return { 'app.kubernetes.io/part-of': objectName(name), 'app.kubernetes.io/managed-by': 'plumbline' };
}

/** What selects the pods of a service. */
export function selectorOf(project: Project, service: string): Record<string, string> {
  return { 'app.kubernetes.io/name': service, 'app.kubernetes.io/part-of': objectName(project.name) };
}

/** The label of pods that are on a network. */
export function networkLabel(network: string): string {
  return `io.plumbline.network/${network}`;
}
