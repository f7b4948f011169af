/** Planned changes on top of the resources of an engine. */
import { hasLabels } from '../engine/labels.js';
import { notFound } from '../errors.js';

interface Resource {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Overlay<R extends Resource> {
  /** Adds a resource, or replaces one. */
  put(resource: R): void;
  remove(resource: R): void;
  /** Whether a change of the resource is planned. */
  isChanged(resource: R): boolean;
  /**
   * The resource with its planned changes.
   *
   * @param inspect asks the engine
   * @throws RuntimeError.notFound for one whose removal is planned; what `inspect` throws
   */
  find(id: string, inspect: () => Promise<R>): Promise<R>;
  /** The resources of the engine, with the planned ones that have the labels. */
  merged(real: readonly R[], labels: Readonly<Record<string, string>> | undefined): R[];
}

/** @param idOf identifies a resource of the engine */
export function overlay<R extends Resource>(idOf: (resource: R) => string): Overlay<R> {
  const changed = new Map<string, R>();
  const removed = new Set<string>();
  return {
    put(resource) {
      changed.set(idOf(resource), resource);
      removed.delete(idOf(resource));
    },
    remove(resource) {
      changed.delete(idOf(resource));
      removed.add(idOf(resource));
    },
    isChanged: (resource) => changed.has(idOf(resource)),
    async find(id, inspect) {
      const planned = [...changed.values()].find((each) => idOf(each) === id || each.name === id);
      if (planned !== undefined) return planned;
      const real = await inspect();
      if (removed.has(idOf(real))) throw notFound(id);
      const mine = changed.get(idOf(real)) ?? real;
      // A planned rename frees the name.
      if (real.name === id && mine.name !== id) throw notFound(id);
      return mine;
    },
    merged: (real, labels = {}) => [
      ...real.filter((each) => !removed.has(idOf(each)) && !changed.has(idOf(each))),
      ...[...changed.values()].filter((each) => hasLabels(each.labels, labels)),
    ],
  };
}
