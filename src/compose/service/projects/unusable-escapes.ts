/** Finds escape sequences in a compose file for characters that a request body could not contain directly. */
import { unusableText, type UnusableText } from '@plumbline/contract/unusable-text';
import type { MapNode, Node, Path } from '../../model/node.js';

/** An escape sequence of a file stands for a character that is refused. */
export class UnusableEscape extends Error {
  override readonly name = 'UnusableEscape';
  /** The location of the text in its document. */
  readonly path: Path;
  readonly reason: UnusableText;

  constructor(path: Path, reason: UnusableText) {
    super(reason.message);
    this.path = path;
    this.reason = reason;
  }
}

/** Every escape that can encode U+0000 or a surrogate: `\0`, `\x00`, `\uD800`, `\U0000D800`. */
const escapes = /\\[0xuU]/;

/**
 * Requires that no string or key of a compose file contains U+0000 or a lone surrogate.
 *
 * @param documents the parsed text
 * @throws UnusableEscape for the first one
 */
export function requireUsableEscapes(text: string, documents: readonly MapNode[]): void {
  if (!escapes.test(text)) return;
  for (const document of documents) check(document, []);
}

function check(node: Node, path: Path): void {
  if (node.kind === 'scalar') checkText(node.value, path);
  else if (node.kind === 'list') {
    node.items.forEach((item, index) => {
      check(item, [...path, index]);
    });
  } else {
    for (const [key, { value }] of node.entries) {
      checkText(key, path);
      check(value, [...path, key]);
    }
  }
}

function checkText(value: unknown, path: Path): void {
  const unusable = typeof value === 'string' ? unusableText(value) : null;
  if (unusable !== null) throw new UnusableEscape(path, unusable);
}
