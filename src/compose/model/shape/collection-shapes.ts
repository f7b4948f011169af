import { failure } from '../errors.js';
import { isNull, list, plain, scalar, scalarText, textOf } from '../node.js';
import type { Entry, ListNode, MapNode, Node, Path } from '../node.js';
import { isOpenTemplate, mergeValue, replace, unexpected } from './shape.js';
import type { Shape } from './shape.js';

/** How a later list is merged into an earlier one. */
export type ListMerge =
  /** Appends; omits entries that are already present. */
  | 'append'
  | 'replace'
  /** Entries with the same key are the same entry; the later one replaces the earlier. */
  | { readonly uniqueBy: (entry: Node) => string };

export interface ListOptions {
  readonly merge?: ListMerge;
  /** A single entry may be written without a list. */
  readonly single?: true;
  /** Expands one entry of short syntax. */
  readonly expand?: (entry: Node, path: Path) => readonly Node[];
}

/** A list of values of one shape. */
export function listOf<T>(item: Shape<T>, options: ListOptions = {}): Shape<T[]> {
  const { merge = 'append', expand = (entry: Node) => [entry] } = options;
  const expected = options.single ? `${item.expected} or a list` : 'a list';
  return {
    expected,
    canonical(node, path, mode) {
      if (isOpenTemplate(node, mode)) return node;
      const written =
        options.single && node.kind === 'scalar' && !isNull(node)
          ? { ...list([node], node.place), ...directive(node) }
          : node;
      if (written.kind !== 'list') throw unexpected(expected, node, path);
      const items = written.items.flatMap((entry, index) => {
        if (entry.directive === 'reset') return [];
        const at = [...path, index];
        const expanded = isOpenTemplate(entry, mode) ? [entry] : expand(entry, at);
        return expanded.map((each) => item.canonical(each, at, mode));
      });
      return { ...written, items: merge === 'replace' ? items : joined(merge, items, []) };
    },
    merge(base, over, path) {
      if (merge === 'replace') return over;
      return {
        ...list(joined(merge, listItems(base, over, path), listItems(over, over, path)), over.place),
        ...directive(over),
      };
    },
    locate: (node, locator) =>
      node.kind === 'list' ? { ...node, items: node.items.map((entry) => item.locate(entry, locator)) } : node,
    read(node, path) {
      return listItems(node, node, path).map((entry, index) => item.read(entry, [...path, index]));
    },
  };
}

function joined(merge: Exclude<ListMerge, 'replace'>, base: readonly Node[], over: readonly Node[]): Node[] {
  // Repetition within one file is intended; only entries repeated by a later file are dropped.
  if (merge === 'append') {
    const known = new Set(base.map(contentKey));
    return [...base, ...over.filter((entry) => !known.has(contentKey(entry)))];
  }
  const byKey = new Map<string, Node>();
  for (const entry of [...base, ...over]) byKey.set(merge.uniqueBy(entry), entry);
  return [...byKey.values()];
}

function contentKey(entry: Node): string {
  return JSON.stringify(plain(entry));
}

function listItems(node: Node, culprit: Node, path: Path): readonly Node[] {
  if (node.kind === 'list') return node.items;
  throw failure('ComposeValidationError', 'cannotMerge', { path }, culprit.place);
}

export const RESOURCE_NAME = /^[a-zA-Z0-9._-]+$/;

/** A mapping from user-chosen names to values of one shape. */
export function recordOf<T>(
  value: Shape<T>,
  options: { readonly names?: RegExp; readonly list?: 'null' | MapNode } = {},
): Shape<Record<string, T>> {
  const expected = options.list === undefined ? 'a mapping' : 'a mapping or a list of names';
  return {
    expected,
    canonical(node, path, mode) {
      const written = options.list !== undefined && node.kind === 'list' ? namesToMap(node, path, options.list) : node;
      if (written.kind !== 'map') throw unexpected(expected, node, path);
      const entries = new Map<string, Entry>();
      for (const [name, entry] of written.entries) {
        if (options.names?.test(name) === false) {
          throw failure('ComposeValidationError', 'unknownKey', { path, key: entry.written ?? name }, entry.place);
        }
        entries.set(name, {
          ...entry,
          value: entry.value.directive === 'reset' ? entry.value : value.canonical(entry.value, [...path, name], mode),
        });
      }
      return { ...written, entries };
    },
    merge: (base, over, path) => mergeMaps(base, over, path, () => value),
    locate: (node, locator) =>
      node.kind === 'map' ? mapEntries(node, (_, each) => value.locate(each, locator)) : node,
    read(node, path) {
      if (node.kind !== 'map') throw unexpected(expected, node, path);
      return Object.fromEntries(
        [...node.entries].map(([name, entry]) => [name, value.read(entry.value, [...path, name])]),
      );
    },
  };
}

function namesToMap(node: ListNode, path: Path, value: 'null' | MapNode): MapNode {
  const entries = node.items.map((item, index): [string, Entry] => {
    const name = textOf(item);
    if (name === undefined) throw unexpected('a name', item, [...path, index]);
    return [name, keyFrom(item, value === 'null' ? scalar(null, item.place) : { ...value, place: item.place })];
  });
  return { kind: 'map', entries: new Map(entries), place: node.place, ...directive(node) };
}

/** Merges two mappings entry by entry, keeping the order of keys. */
export function mergeMaps(
  base: Node,
  over: Node,
  path: Path,
  shapeOf: (key: string) => Shape<unknown> | undefined,
): Node {
  if (base.kind !== 'map' || over.kind !== 'map') {
    throw failure('ComposeValidationError', 'cannotMerge', { path }, over.place);
  }
  const entries = new Map(base.entries);
  for (const [key, entry] of over.entries) {
    const below = base.entries.get(key)?.value;
    const shape = shapeOf(key) ?? opaque;
    entries.set(key, { ...entry, value: mergeValue(shape, below, entry.value, [...path, key]) });
  }
  return { ...over, entries };
}

/** Any data, merged like YAML: mappings by key, lists appended. */
const opaque: Shape<Node> = {
  expected: 'anything',
  canonical: (node) => node,
  merge(base, over, path) {
    if (base.kind !== over.kind) throw failure('ComposeValidationError', 'cannotMerge', { path }, over.place);
    if (base.kind === 'map') return mergeMaps(base, over, path, () => opaque);
    return base.kind === 'list' && over.kind === 'list'
      ? { ...over, items: joined('append', base.items, over.items) }
      : over;
  },
  locate: (node) => node,
  read: (node) => node,
};

export function mapEntries(node: MapNode, change: (key: string, value: Node) => Node): MapNode {
  const entries = new Map<string, Entry>();
  for (const [key, entry] of node.entries) entries.set(key, { ...entry, value: change(key, entry.value) });
  return { ...node, entries };
}

/** How to split a list of `KEY=value` entries, and the meaning of a key without a value. */
export interface PairOptions {
  readonly bare: 'null' | 'empty' | 'refused';
}

/**
 * `KEY: value` mappings that may be written as a list of `KEY=value`. Values become strings; a key alone is null. A
 * later file's key overrides.
 */
export function pairs(options: PairOptions): Shape<Record<string, string | null>> {
  const expected = 'a mapping or a list of KEY=value';
  return {
    expected,
    canonical(node, path) {
      if (node.kind === 'list') return pairsFromList(node, path, options, expected);
      if (node.kind !== 'map') throw unexpected(expected, node, path);
      return mapEntries(node, (key, value) => pairValue(value, [...path, key], options));
    },
    merge: (base, over, path) => mergeMaps(base, over, path, () => pairText),
    locate: (node) => node,
    read(node, path) {
      if (node.kind !== 'map') throw unexpected(expected, node, path);
      return Object.fromEntries(
        [...node.entries].map(([key, entry]) => [key, pairText.read(entry.value, [...path, key])]),
      );
    },
  };
}

const pairText: Shape<string | null> = {
  expected: 'a string, a number, a boolean or null',
  nullReplaces: true,
  canonical: (node) => node,
  merge: replace,
  locate: (node) => node,
  read(node, path) {
    if (node.kind !== 'scalar') throw unexpected(pairText.expected, node, path);
    return node.value === null ? null : scalarText(node.value);
  },
};

function pairValue(value: Node, path: Path, options: PairOptions): Node {
  if (value.directive === 'reset') return value;
  if (value.kind !== 'scalar') throw unexpected(pairText.expected, value, path);
  if (value.value !== null) return { ...value, value: scalarText(value.value) };
  return options.bare === 'empty' ? { ...value, value: '' } : value;
}

function pairsFromList(node: ListNode, path: Path, options: PairOptions, expected: string): MapNode {
  const entries = node.items.map((item, index): [string, Entry] => {
    const at = [...path, index];
    const entry = item.kind === 'scalar' ? textOf(item) : undefined;
    if (entry === undefined || item.kind !== 'scalar') throw unexpected(expected, item, at);
    const [key = ''] = entry.split('=', 1);
    if (/\s$/.test(key)) throw unexpected('KEY=value without white space before the equals sign', item, at);
    if (entry.includes('=')) return [key, keyFrom(item, scalar(entry.slice(key.length + 1), item.place, item.written))];
    if (options.bare === 'refused') throw unexpected('KEY=value', item, at);
    return [key, keyFrom(item, scalar(options.bare === 'empty' ? '' : null, item.place))];
  });
  return { kind: 'map', entries: new Map(entries), place: node.place, ...directive(node) };
}

/** Converts a list item to a mapping entry. */
function keyFrom(item: Node, value: Node): Entry {
  const written = item.kind === 'scalar' ? item.written : undefined;
  return { place: item.place, value, ...(written === undefined ? {} : { written }) };
}

export function directive(node: Node): Pick<Node, 'directive'> {
  return node.directive === undefined ? {} : { directive: node.directive };
}
