/** How many people know a directory, by who changed its files. */
import type { DirectoryHealth } from '../../analytics/code-health.js';
import { byBytes } from '../../analytics/planner/values.js';

export class DirectoryCount {
  readonly #depth: number;
  /** Changes by person, by directory. */
  readonly #changes = new Map<string, Map<string, number>>();

  /** @param depth the number of segments of a directory */
  constructor(depth: number) {
    this.#depth = depth;
  }

  count(path: string, person: string): void {
    const directory = directoryOf(path, this.#depth);
    const people = this.#changes.get(directory) ?? new Map<string, number>();
    this.#changes.set(directory, people);
    people.set(person, (people.get(person) ?? 0) + 1);
  }

  /** The directories with the most changes. */
  top(count: number): readonly DirectoryHealth[] {
    const all = [...this.#changes].map(([path, people]) => healthOf(path, [...people.values()]));
    return all.sort((one, other) => other.changes - one.changes || byBytes(one.path, other.path)).slice(0, count);
  }
}

function healthOf(path: string, perPerson: readonly number[]): DirectoryHealth {
  const changes = perPerson.reduce((sum, each) => sum + each, 0);
  let [most, busFactor] = [0, 0];
  for (const each of perPerson.toSorted((one, other) => other - one)) {
    if (most * 2 >= changes) break;
    most += each;
    busFactor += 1;
  }
  return { path, changes, authors: perPerson.length, busFactor };
}

function directoryOf(path: string, depth: number): string {
  const segments = path.split('/').slice(0, -1).slice(0, depth);
  return segments.length === 0 ? '.' : segments.join('/');
}
