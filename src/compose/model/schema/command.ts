import { failure } from '../errors.js';
import { isNull, shown, textOf } from '../node.js';
import type { Node, Path } from '../node.js';
import type { Hook, PreStartHook } from '../project/workload.js';
import { listOf } from '../shape/collection-shapes.js';
import { objectOf } from '../shape/object-shape.js';
import { flag, text } from '../shape/scalar-shapes.js';
import { replace, unexpected, unlocated } from '../shape/shape.js';
import type { Shape } from '../shape/shape.js';
import { ShellWordsError, splitShellWords } from '../normalize/shell-words.js';
import { environment } from './fields.js';

const words = listOf(text, { merge: 'replace' });

/**
 * A command: a list of words, or one string split by POSIX quoting rules. A later file's command replaces an earlier
 * one; null restores the image's command, an empty one clears it.
 */
export const command: Shape<string[] | null> = {
  expected: 'a string or a list of strings',
  nullReplaces: true,
  canonical: (node, path, mode) =>
    isNull(node) || textOf(node) !== undefined ? node : words.canonical(node, path, mode),
  merge: replace,
  locate: unlocated,
  read(node, path) {
    if (isNull(node)) return null;
    return textOf(node) === undefined ? words.read(node, path) : split(node);
  },
};

function split(node: Node): string[] {
  try {
    return splitShellWords(textOf(node) ?? '');
  } catch (error) {
    if (!(error instanceof ShellWordsError)) throw error;
    throw failure('ComposeError', 'invalidShellTokenization', { input: shown(node), reason: error.reason }, node.place);
  }
}

/** A health check's test; a string runs in the image's shell. */
export const healthTest: Shape<string[]> = {
  ...words,
  expected: 'a string or a list of strings',
  canonical: (node, path, mode) => (textOf(node) === undefined ? words.canonical(node, path, mode) : node),
  read(node: Node, path: Path) {
    const shell = textOf(node);
    const test = shell === undefined ? words.read(node, path) : ['CMD-SHELL', shell];
    if (test[0] !== undefined && !['CMD', 'CMD-SHELL', 'NONE'].includes(test[0])) {
      throw unexpected('a string, or a list that starts with CMD, CMD-SHELL or NONE', node, path);
    }
    return test;
  },
};

/** Treats null as absent. */
export function unlessNull<T>(shape: Shape<T | null>): Shape<T> {
  // objectOf omits null fields, so the field's type never contains null.
  return shape as Shape<T>;
}

const HOOK_FIELDS = {
  command: unlessNull(command),
  user: text,
  privileged: flag,
  working_dir: text,
  environment,
};

export const hook = objectOf<Hook>(HOOK_FIELDS, { required: ['command'] });
export const preStartHook = objectOf<PreStartHook>({ ...HOOK_FIELDS, image: text, per_replica: flag });
