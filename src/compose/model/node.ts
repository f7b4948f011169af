/**
 * The tree that every stage works on: YAML reduced to scalars, mappings and lists, with the source location of each
 * part. Nodes are immutable; stages return new ones, so aliases may share nodes.
 */

/** A source location. Lines and columns start at one. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export type Scalar = string | number | bigint | boolean | null;

/** `!reset` drops the value of earlier files; `!override` replaces it without merging. */
export type Directive = 'reset' | 'override';

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: Scalar;
  readonly place: Place;
  /** The text before interpolation, if that changed it. Errors show this text, never the value. */
  readonly written?: string;
  readonly directive?: Directive;
}

export interface Entry {
  readonly place: Place;
  readonly value: Node;
  /** The key before interpolation, if a list item became a key. Errors show this text. */
  readonly written?: string;
}

export interface MapNode {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, Entry>;
  readonly place: Place;
  readonly directive?: Directive;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly Node[];
  readonly place: Place;
  readonly directive?: Directive;
}

export type Node = ScalarNode | MapNode | ListNode;

/** JSON data, as in extensions (`x-`). */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The path from the document's root to a node: mapping keys and list indexes. */
export type Path = readonly (string | number)[];

export function scalar(value: Scalar, place: Place, written?: string): ScalarNode {
  return written === undefined ? { kind: 'scalar', value, place } : { kind: 'scalar', value, place, written };
}

export function list(items: readonly Node[], place: Place): ListNode {
  return { kind: 'list', items, place };
}

export function map(entries: Iterable<readonly [string, Node]>, place: Place): MapNode {
  const built = new Map<string, Entry>();
  for (const [key, value] of entries) built.set(key, { place: value.place, value });
  return { kind: 'map', entries: built, place };
}

/** A mapping with the same location and directive but other entries. */
export function withEntries(node: MapNode, entries: ReadonlyMap<string, Entry>): MapNode {
  return { ...node, entries };
}

/** A mapping with one entry set. An existing key keeps its position. */
export function withEntry(node: MapNode, key: string, value: Node): MapNode {
  const entries = new Map(node.entries);
  entries.set(key, { place: value.place, ...node.entries.get(key), value });
  return withEntries(node, entries);
}

export function withoutEntry(node: MapNode, key: string): MapNode {
  const entries = new Map(node.entries);
  entries.delete(key);
  return withEntries(node, entries);
}

export function child(node: Node | undefined, key: string): Node | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.value : undefined;
}

export function childMap(node: Node | undefined, key: string): MapNode | undefined {
  const found = child(node, key);
  return found?.kind === 'map' ? found : undefined;
}

export function isNull(node: Node): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** The node's string, if it is one. */
export function textOf(node: Node | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

/**
 * A scalar as text for environment variables, labels and options. Numbers are formatted as in the reference
 * implementation: shortest decimal, exponent below 1e-4 with two digits.
 */
export function scalarText(value: Exclude<Scalar, null>): string {
  if (typeof value !== 'number' || value === 0 || Math.abs(value) >= 1e-4 || !Number.isFinite(value)) {
    if (value === Infinity) return '+Inf';
    if (value === -Infinity) return '-Inf';
    return String(value);
  }
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1');
}

/** The text of a node for errors: as written in the file, never a variable's value. */
export function shown(node: Node): string {
  if (node.kind === 'map') return 'a mapping';
  if (node.kind === 'list') return 'a list';
  return node.written ?? (node.value === null ? 'null' : scalarText(node.value));
}

/** A path for messages: `services.web.ports[0]`. */
export { placeText as pathText } from '../../../generated/failures.js';

/** A path with interpolated keys shown as written. */
export function shownPath(root: Node, path: Path): Path {
  let node: Node | undefined = root;
  return path.map((part) => {
    const entry: Entry | undefined = node?.kind === 'map' ? node.entries.get(String(part)) : undefined;
    node = node?.kind === 'list' && typeof part === 'number' ? node.items[part] : entry?.value;
    return entry?.written ?? part;
  });
}

/** The node at a path, or its nearest ancestor. */
export function nearest(root: Node, path: Path): Node {
  let node = root;
  for (const part of path) {
    const next =
      node.kind === 'list' && typeof part === 'number'
        ? node.items[part]
        : node.kind === 'map'
          ? node.entries.get(String(part))?.value
          : undefined;
    if (next === undefined) return node;
    node = next;
  }
  return node;
}

export function sameContent(left: Node, right: Node): boolean {
  if (left === right) return true;
  if (left.kind === 'scalar') return right.kind === 'scalar' && left.value === right.value;
  if (left.kind === 'list') {
    return (
      right.kind === 'list' &&
      left.items.length === right.items.length &&
      left.items.every((item, index) => {
        const other = right.items[index];
        return other !== undefined && sameContent(item, other);
      })
    );
  }
  if (right.kind !== 'map' || left.entries.size !== right.entries.size) return false;
  for (const [key, entry] of left.entries) {
    const other = right.entries.get(key);
    if (other === undefined || !sameContent(entry.value, other.value)) return false;
  }
  return true;
}

/** Removes nodes marked with `!reset` and clears directives. Used when there is no earlier value. */
export function settled(node: Node): Node {
  if (node.kind === 'scalar') return node.directive === undefined ? node : scalar(node.value, node.place, node.written);
  if (node.kind === 'list') {
    const items = node.items.filter((item) => item.directive !== 'reset').map(settled);
    return list(items, node.place);
  }
  const entries = new Map<string, Entry>();
  for (const [key, entry] of node.entries) {
    if (entry.value.directive === 'reset') continue;
    entries.set(key, { ...entry, value: settled(entry.value) });
  }
  return { kind: 'map', entries, place: node.place };
}

/** Converts to plain data. Integers too large for a JSON number become strings. */
export function plain(node: Node): Json {
  if (node.kind === 'list') return node.items.map(plain);
  if (node.kind === 'map') {
    return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plain(entry.value)]));
  }
  return typeof node.value === 'bigint' ? String(node.value) : node.value;
}
