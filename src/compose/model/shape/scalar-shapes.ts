import { failure } from '../errors.js';
import { parseDuration } from '../normalize/duration.js';
import { parseMemory } from '../normalize/memory.js';
import { isNull, scalarText, shown } from '../node.js';
import type { Node, Path, Scalar } from '../node.js';
import { isOpenTemplate, replace, unexpected, unlocated } from './shape.js';
import type { Shape } from './shape.js';

/**
 * A single value. `parse` returns the typed value, or undefined if the scalar is invalid. It runs when the file is
 * checked, so that an invalid value is reported with its location, and again when the project is read.
 */
export function single<T>(expected: string, parse: (value: Scalar) => T | undefined): Shape<T> {
  const read = (node: Node, path: Path): T => {
    const value = node.kind === 'scalar' ? parse(node.value) : undefined;
    if (value === undefined) throw unexpected(expected, node, path);
    return value;
  };
  return {
    expected,
    canonical(node, path, mode) {
      if (!isOpenTemplate(node, mode)) read(node, path);
      return node;
    },
    merge: replace,
    locate: unlocated,
    read,
  };
}

export const text = single('a string', (value) => (typeof value === 'string' ? value : undefined));

/** A string that may be written as a number, such as a port or a group id. */
export const textOrNumber = single('a string or a number', (value) =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'bigint'
      ? scalarText(value)
      : undefined,
);

/** A string that may be written as a boolean or a number. */
export const textLike = single('a string, a number or a boolean', (value) =>
  value === null ? undefined : scalarText(value),
);

const TRUE_WORDS = new Set(['true', 'y', 'yes', 'on']);
const FALSE_WORDS = new Set(['false', 'n', 'no', 'off']);

/** A boolean, or its string form after interpolation. */
export const flag = single('a boolean', (value) => {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (TRUE_WORDS.has(value.toLowerCase())) return true;
  return FALSE_WORDS.has(value.toLowerCase()) ? false : undefined;
});

const DECIMAL_INTEGER = /^[+-]?\d{1,15}$/;

export const integer = integerFrom(Number.MIN_SAFE_INTEGER);
export const count = integerFrom(0);

/** A whole number in a range, or its string form after interpolation. */
export function integerFrom(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Shape<number> {
  const from = minimum === Number.MIN_SAFE_INTEGER ? '' : ` of ${String(minimum)} or more`;
  const range = maximum === Number.MAX_SAFE_INTEGER ? from : ` from ${String(minimum)} to ${String(maximum)}`;
  return single(`a whole number${range}`, (value) => {
    const number = typeof value === 'string' && DECIMAL_INTEGER.test(value) ? Number(value) : value;
    return typeof number === 'number' && Number.isSafeInteger(number) && number >= minimum && number <= maximum
      ? number
      : undefined;
  });
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

export const number = single('a number', (value) => {
  const parsed = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : undefined;
});

/** File permissions: a YAML number, or octal digits in a string. */
export const mode = single('file permissions such as 0440', (value) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  return typeof value === 'string' && /^(?:0o)?[0-7]{1,6}$/.test(value)
    ? Number.parseInt(value.replace('0o', ''), 8)
    : undefined;
});

/** In nanoseconds. */
export const duration = single('a duration such as 1m30s', (value) => {
  if (typeof value === 'number') return value === 0 ? 0 : undefined;
  return typeof value === 'string' ? parseDuration(value) : undefined;
});

export function oneOf<const T extends string>(...choices: readonly T[]): Shape<T> {
  return single(`one of ${choices.join(', ')}`, (value) => choices.find((choice) => choice === value));
}

/** A string that matches a pattern. */
export function matching(pattern: RegExp, expected: string): Shape<string> {
  return single(expected, (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined));
}

/**
 * A memory quantity. The project keeps the text; only its syntax is checked (ComposeMemoryParseError).
 *
 * @param unlimited the text that means no limit, if allowed
 */
export function memory(unlimited?: '-1'): Shape<string> {
  const read = (node: Node, path: Path): string => {
    if (node.kind !== 'scalar' || node.value === null || typeof node.value === 'boolean') {
      throw unexpected('a memory quantity such as 512m', node, path);
    }
    const quantity =
      typeof node.value === 'number' && !Number.isInteger(node.value) ? node.value.toFixed(20) : scalarText(node.value);
    if (quantity.trim() === unlimited) return quantity;
    const parsed = parseMemory(quantity);
    if (parsed === 'empty') throw failure('ComposeMemoryParseError', 'empty', {}, node.place);
    if (typeof parsed === 'string')
      throw failure('ComposeMemoryParseError', parsed, { input: shown(node) }, node.place);
    return quantity;
  };
  return {
    expected: 'a memory quantity',
    canonical(node, path, mode) {
      if (!isOpenTemplate(node, mode)) read(node, path);
      return node;
    },
    merge: replace,
    locate: unlocated,
    read,
  };
}

/** A shape whose value may also be null. */
export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return {
    ...shape,
    canonical: (node, path, mode) => (isNull(node) ? node : shape.canonical(node, path, mode)),
    locate: (node, locator) => (isNull(node) ? node : shape.locate(node, locator)),
    read: (node, path) => (isNull(node) ? null : shape.read(node, path)),
  };
}
