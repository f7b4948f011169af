import { failure } from '../errors.js';
import { isNull } from '../node.js';
import type { Node, Path } from '../node.js';

/**
 * Describes one kind of value in a compose file to all stages. The tables in `../schema/` consist of shapes; the stages
 * only walk them. `T` is the value's type in the loaded project.
 */
export interface Shape<T> {
  /** What the value must be, for errors: `a list of strings`. */
  readonly expected: string;
  /** Whether a later `null` replaces the value; otherwise null has no effect. */
  readonly nullReplaces?: true;
  /** Checks a value as written and expands short syntax. */
  canonical(node: Node, path: Path, mode: CanonicalMode): Node;
  /** Merges a later definition over an earlier one, both canonical. Directives have been applied. */
  merge(base: Node, over: Node, path: Path): Node;
  /** Makes relative paths absolute. */
  locate(node: Node, locator: Locator): Node;
  /** Returns the project's value; called on merged nodes. */
  read(node: Node, path: Path): T;
}

export interface CanonicalMode {
  /** Variables were not replaced, so a string with a `$` may have any value. */
  readonly templates: boolean;
}

/** The base of relative paths. */
export interface Locator {
  /** Absolute path of the directory. */
  readonly directory: string;
  /** The directory that `~` means, if known. */
  readonly home: string | undefined;
  /** Whether paths stay as written, except those of files that loading reads. */
  readonly keepsPaths: boolean;
  /** Whether loading reads the env_file and label_file of services. */
  readonly readsVariableFiles: boolean;
}

/** Whether a value cannot be checked because it depends on interpolation. */
export function isOpenTemplate(node: Node, mode: CanonicalMode): boolean {
  return mode.templates && node.kind === 'scalar' && typeof node.value === 'string' && node.value.includes('$');
}

/** The failure for a value that does not match its shape. */
export function unexpected(expected: string, node: Node, path: Path): Error {
  return failure('ComposeValidationError', 'invalidValue', { path, expected }, node.place);
}

/** Merges two values of one shape, applying directives and null. */
export function mergeValue(shape: Shape<unknown>, base: Node | undefined, over: Node, path: Path): Node {
  if (base === undefined || over.directive !== undefined) return over;
  if (isNull(over)) return shape.nullReplaces ? over : base;
  if (isNull(base)) return over;
  return shape.merge(base, over, path);
}

/** A later value replaces an earlier one. */
export function replace(_base: Node, over: Node): Node {
  return over;
}

/** For values without paths. */
export function unlocated(node: Node): Node {
  return node;
}
