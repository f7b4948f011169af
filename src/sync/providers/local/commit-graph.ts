/**
 * The commits of a history and their parents, in typed arrays outside the heap (about 100 bytes per commit). It finds
 * the commits that a merge brought in, for which git would otherwise have to be started once per merge.
 */
import type { Git } from './git.js';
import { streamGit } from './git.js';
import { HashTable } from '../hash-table.js';
import { Heap } from './heap.js';
import { gitMoment } from './log-parser.js';
import { nulTerminated } from './nul-terminated.js';

export interface GraphCommit {
  readonly hash: string;
  /** The author date, in epoch milliseconds. */
  readonly when: number;
  readonly authorName: string;
  readonly authorEmail: string;
}

const UNKNOWN = 0xffffffff;

/** Flags that a walk sets on a commit. */
const FROM_HEADS = 1;
const FROM_BASE = 2;
const LISTED = 4;

/** Reads the history of a commit. */
export async function readCommitGraph(git: Git, tip: string): Promise<CommitGraph> {
  const format = '%H %P%x00%ct %at%x00%an%x00%ae';
  const args = ['--topo-order', `--format=${format}`, '--no-patch', '--no-color', '--no-notes', '--no-mailmap'];
  const graph = new CommitGraph(tip.length);
  let fields: string[] = [];
  for await (const field of nulTerminated(streamGit(git, ['log', '-z', ...args, tip, '--']))) {
    fields.push(field.toString('utf8'));
    if (fields.length < 4) continue;
    const [hashes = '', times = '', name = '', email = ''] = fields;
    const [committed = 0, written = 0] = times.split(' ').map(Number);
    graph.add(hashes.trimEnd().split(' '), committed, written, `${name}\0${email}`);
    fields = [];
  }
  return graph;
}

export class CommitGraph {
  readonly #ids: HashTable;
  /** By id: the position in the topological order, in which parents follow their children. */
  #places = new Uint32Array(1024).fill(UNKNOWN);
  #committed = new Float64Array(1024);
  #written = new Float64Array(1024);
  #authors = new Uint32Array(1024);
  /** By id: the offset of the parents in the list of all parents, and their number. */
  #firstParents = new Uint32Array(1024);
  #parentCounts = new Uint16Array(1024);
  #marks = new Uint8Array(1024);
  #parents = new Uint32Array(1024);
  #parentsLength = 0;
  #count = 0;
  readonly #people: string[] = [];
  readonly #idOfPerson = new Map<string, number>();

  /** @param digits the number of hexadecimal digits of a hash */
  constructor(digits: number) {
    this.#ids = new HashTable(digits / 2);
  }

  /**
   * Adds a commit; all of its children must have been added before.
   *
   * @param hashes the commit's and its parents'
   * @param committed the commit date, in epoch seconds
   * @param author name and e-mail, separated by U+0000
   */
  add(hashes: readonly string[], committed: number, written: number, author: string): void {
    const [own, ...parents] = hashes.map((hash) => this.#ids.add(hash));
    if (own === undefined) return;
    this.#reserve();
    this.#places[own] = this.#count;
    this.#count += 1;
    this.#committed[own] = committed;
    this.#written[own] = written;
    this.#authors[own] = this.#personId(author);
    this.#firstParents[own] = this.#parentsLength;
    this.#parentCounts[own] = parents.length;
    for (const parent of parents) {
      if (this.#parentsLength === this.#parents.length) this.#parents = grown(this.#parents, Uint32Array);
      this.#parents[this.#parentsLength] = parent;
      this.#parentsLength += 1;
    }
  }

  /**
   * The commits in the history of the heads but not in that of the base, without merges: those that `git log
   * --no-merges <heads> ^<base>` lists, in the same order.
   */
  broughtIn(heads: readonly string[], base: string, most: number): readonly GraphCommit[] {
    const from = heads.map((hash) => this.#ids.find(hash)).filter((id) => id !== undefined);
    const to = this.#ids.find(base);
    if (to === undefined || from.length < heads.length) return [];
    const marked = this.#mark(from, to);
    const listed = this.#inOrder(from, most);
    for (const id of marked) this.#marks[id] = 0;
    return listed;
  }

  /** Marks the history of both sides, until all remaining commits belong to both. */
  #mark(heads: readonly number[], base: number): readonly number[] {
    const marked: number[] = [];
    const waiting = new Heap<number>((a, b) => this.#place(a) - this.#place(b));
    let open = 0;
    const mark = (id: number, side: number): void => {
      const before = this.#marks[id] ?? 0;
      if (before === 0) {
        marked.push(id);
        waiting.push(id);
      }
      this.#marks[id] = before | side;
      // Parents are visited after their children, so all children have already marked them.
      open += Number(isOwn(before | side)) - Number(isOwn(before));
    };
    mark(base, FROM_BASE);
    for (const head of heads) mark(head, FROM_HEADS);
    for (let id = waiting.pop(); id !== undefined && open > 0; id = waiting.pop()) {
      const marks = this.#marks[id] ?? 0;
      if (isOwn(marks)) open -= 1;
      for (const parent of this.#parentsOf(id)) mark(parent, (marks & FROM_BASE) === 0 ? FROM_HEADS : FROM_BASE);
    }
    return marked;
  }

  /**
   * The commits that only the heads have, in git's order: latest first among those whose child is listed; ties keep
   * their order.
   */
  #inOrder(heads: readonly number[], most: number): readonly GraphCommit[] {
    const commits: GraphCommit[] = [];
    const waiting = new Heap<readonly [id: number, came: number]>(
      ([a, aCame], [b, bCame]) => (this.#committed[b] ?? 0) - (this.#committed[a] ?? 0) || aCame - bCame,
    );
    let came = 0;
    const list = (id: number): void => {
      const marks = this.#marks[id] ?? 0;
      if (!isOwn(marks) || (marks & LISTED) !== 0) return;
      this.#marks[id] = marks | LISTED;
      waiting.push([id, (came += 1)]);
    };
    heads.forEach(list);
    for (let next = waiting.pop(); next !== undefined && commits.length < most; next = waiting.pop()) {
      const [id] = next;
      const parents = this.#parentsOf(id);
      if (parents.length < 2) commits.push(this.#commit(id));
      parents.forEach(list);
    }
    return commits;
  }

  #commit(id: number): GraphCommit {
    const [authorName = '', authorEmail = ''] = (this.#people[this.#authors[id] ?? 0] ?? '').split('\0');
    return { hash: this.#ids.hash(id), when: gitMoment(this.#written[id] ?? 0), authorName, authorEmail };
  }

  #place(id: number): number {
    return this.#places[id] ?? UNKNOWN;
  }

  #parentsOf(id: number): Uint32Array {
    const first = this.#firstParents[id] ?? 0;
    return this.#parents.subarray(first, first + (this.#parentCounts[id] ?? 0));
  }

  #personId(author: string): number {
    const known = this.#idOfPerson.get(author);
    if (known !== undefined) return known;
    const id = this.#people.push(author) - 1;
    this.#idOfPerson.set(author, id);
    return id;
  }

  /** Reserves space for all ids. */
  #reserve(): void {
    while (this.#places.length < this.#ids.size) {
      const before = this.#places.length;
      this.#places = grown(this.#places, Uint32Array).fill(UNKNOWN, before);
      this.#committed = grown(this.#committed, Float64Array);
      this.#written = grown(this.#written, Float64Array);
      this.#authors = grown(this.#authors, Uint32Array);
      this.#firstParents = grown(this.#firstParents, Uint32Array);
      this.#parentCounts = grown(this.#parentCounts, Uint16Array);
      this.#marks = grown(this.#marks, Uint8Array);
    }
  }
}

/** Whether only the history of the heads contains the commit. */
function isOwn(marks: number): boolean {
  return (marks & (FROM_HEADS | FROM_BASE)) === FROM_HEADS;
}

interface Numbers {
  readonly length: number;
  set(values: this): void;
}

function grown<List extends Numbers>(list: List, Kind: new (length: number) => List): List {
  const larger = new Kind(list.length * 2);
  larger.set(list);
  return larger;
}
