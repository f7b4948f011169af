/** Finds escape sequences in a compose file for characters that a request body could not contain directly. */
import { unusableText, type UnusableText } from '../../../contract/unusable-text.js';
import type { MapNode, Node, Path } from '../../model/node.js';
import { parseYaml } from '../../model/loader/parse.js';

export interface UnusableEscape extends UnusableText {
  /** The location of the text in its document. */
  readonly path: Path;
}

/** Every escape that can encode U+0000 or a surrogate: `\0`, `\x00`, `\uD800`, `\U0000D800`. */
const escapes = /\\[0xuU]/;

/**
 * Finds the first string or key of a compose file with U+0000 or a lone surrogate.
 *
 * @throws ComposeFailure YamlError when the text is not YAML
 */
export function unusableEscapeIn(text: string, file: string): UnusableEscape | null {
  if (!escapes.test(text)) return null;
  return firstOf(parseYaml(text, file), (document: MapNode) => unusableIn(document, []));
}

function unusableIn(node: Node, path: Path): UnusableEscape | null {
  if (node.kind === 'scalar') return unusableAt(node.value, path);
  if (node.kind === 'list') return firstOf(node.items.entries(), ([index, item]) => unusableIn(item, [...path, index]));
  return firstOf(node.entries, ([key, { value }]) => unusableAt(key, path) ?? unusableIn(value, [...path, key]));
}

function unusableAt(value: unknown, path: Path): UnusableEscape | null {
  const unusable = typeof value === 'string' ? unusableText(value) : null;
  return unusable === null ? null : { path, ...unusable };
}

function firstOf<Item, Found>(items: Iterable<Item>, find: (item: Item) => Found | null): Found | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}
