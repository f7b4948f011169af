/** Collects the commits of a branch that a host lists page by page, and checks that none is missing. */
import { HashTable } from './hash-table.js';
import type { PartialReach, Reachable } from './provider.js';

export const EMPTY_REPOSITORY = 'the repository is empty';

/** The size of a hash in bytes, from its hexadecimal digits. */
const bytesOf = (hash: string): number => hash.length / 2;

export class ListedCommits {
  #listed: HashTable | undefined;
  readonly #awaited = new Set<string>();

  add(hash: string, parents: readonly string[]): void {
    this.#listed ??= new HashTable(bytesOf(hash));
    this.#listed.add(hash);
    this.#awaited.delete(hash);
    for (const parent of parents) if (this.#listed.find(parent) === undefined) this.#awaited.add(parent);
  }

  /** All commits from this head; or why they are incomplete: each parent of a listed commit must be listed, too. */
  reachable(head: string): Reachable | PartialReach {
    const listed = this.#listed;
    if (listed?.find(head) === undefined || this.#awaited.size > 0)
      return { partial: 'the host lists only a part of its commits' };
    return { has: (hash) => listed.find(hash) !== undefined };
  }
}
