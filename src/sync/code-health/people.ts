/** How many people know a directory, by who changed its files. */
import type { DirectoryHealth } from '../../analytics/code-health.js';
import { byBytes } from '../../analytics/planner/values.js';

export class DirectoryCount {
  readonly #depth: number;
  readonly #directories = new Map<string, Changes>();

  /** @param depth the number of segments of a directory */
  constructor(depth: number) {
    this.#depth = depth;
  }

  /** @param people the author of the change and the co-authors */
  count(path: string, people: readonly string[]): void {
    const directory = directoryOf(path, this.#depth);
    const changes = this.#directories.get(directory) ?? { count: 0, perPerson: new Map<string, number>() };
    this.#directories.set(directory, changes);
    changes.count += 1;
    for (const person of people) changes.perPerson.set(person, (changes.perPerson.get(person) ?? 0) + 1);
  }

  /** The directories with the most changes. */
  top(count: number): readonly DirectoryHealth[] {
    const all = [...this.#directories].map(([path, changes]) => healthOf(path, changes));
    return all.sort((one, other) => other.changes - one.changes || byBytes(one.path, other.path)).slice(0, count);
  }
}

/** The changes in one directory. */
interface Changes {
  count: number;
  /** A change of several people counts for each of them. */
  readonly perPerson: Map<string, number>;
}

function healthOf(path: string, { count, perPerson }: Changes): DirectoryHealth {
  const parts = [...perPerson.values()].sort((one, other) => other - one);
  const all = parts.reduce((sum, each) => sum + each, 0);
  let [most, busFactor] = [0, 0];
  for (const part of parts) {
    if (most * 2 >= all) break;
    most += part;
    busFactor += 1;
  }
  return { path, changes: count, authors: parts.length, busFactor };
}

function directoryOf(path: string, depth: number): string {
  const segments = path.split('/').slice(0, -1).slice(0, depth);
  return segments.length === 0 ? '.' : segments.join('/');
}
