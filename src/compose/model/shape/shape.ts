import { failure } from '../errors.js';
import { isNull } from '../node.js';
import type { Node, Path } from '../node.js';

/**
 * One kind of value in a compose file, with everything the stages need to know about it. The tables in `../schema/`
 * are made of these; the stages only walk them. `T` is the type the value has in the finished project.
 */
export interface Shape<T> {
  /** What the value must be, for error texts: `a list of strings`. */
  readonly expected: string;
  /** Whether a later `null` takes the value's place, where otherwise it changes nothing. */
  readonly nullReplaces?: true;
  /** Checks a value as written and turns short syntax into long. */
  canonical(node: Node, path: Path, mode: CanonicalMode): Node;
  /** The value when a later definition follows an earlier one, both canonical. Directives are dealt with before. */
  merge(base: Node, over: Node, path: Path): Node;
  /** Makes relative paths absolute. */
  locate(node: Node, locator: Locator): Node;
  /** The value as the project has it; called on merged nodes. */
  read(node: Node, path: Path): T;
}

export interface CanonicalMode {
  /** Variables were not replaced: a text with a `$` in it may stand for anything. */
  readonly templates: boolean;
}

/** Where relative paths start. */
export interface Locator {
  /** Absolute path of the directory. */
  readonly directory: string;
  /** What `~` stands for, if known. */
  readonly home: string | undefined;
}

/** Whether a value must be taken as it is, because what it will be is only known after interpolation. */
export function isOpenTemplate(node: Node, mode: CanonicalMode): boolean {
  return mode.templates && node.kind === 'scalar' && typeof node.value === 'string' && node.value.includes('$');
}

/** The failure for a value that is not what its shape expects. */
export function unexpected(expected: string, node: Node, path: Path): Error {
  return failure('ComposeValidationError', 'invalidValue', { path, expected }, node.place);
}

/** Merges two values of one shape, minding the directives and null. */
export function mergeValue(shape: Shape<unknown>, base: Node | undefined, over: Node, path: Path): Node {
  if (base === undefined || over.directive !== undefined) return over;
  if (isNull(over)) return shape.nullReplaces ? over : base;
  if (isNull(base)) return over;
  return shape.merge(base, over, path);
}

/** A later value takes the place of an earlier one. */
export function replace(_base: Node, over: Node): Node {
  return over;
}

/** Values without paths in them stay as they are. */
export function unlocated(node: Node): Node {
  return node;
}
