import type { Scalar } from '../node.js';

/**
 * Resolves a plain (unquoted) scalar: YAML 1.2's core schema, plus the parts of YAML 1.1 that compose files use, which
 * are octal numbers with a leading zero (`mode: 0440`), binary numbers and `_` between digits. Words such as `yes` and
 * times such as `22:22` remain strings.
 */
export function resolvePlainScalar(source: string): Scalar {
  if (WORDS.has(source)) return WORDS.get(source) ?? null;
  if (!/^[-+.\d]/.test(source)) return source;
  return resolveInteger(source.replaceAll('_', '')) ?? resolveFloat(source.replaceAll('_', '')) ?? source;
}

const WORDS = new Map<string, Scalar>([
  ['', null],
  ['~', null],
  ...['null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, NaN] as const),
]);

const INTEGER = /^([-+]?)(?:0x([\da-f]+)|0o([0-7]+)|0b([01]+)|0([0-7]+)|(0|[1-9]\d*))$/i;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?$/i;
/** Longer integers are expensive to parse, and no compose file needs them; they remain floating point. */
const MAX_INTEGER_LENGTH = 64;

function resolveInteger(digits: string): number | bigint | undefined {
  if (digits.length > MAX_INTEGER_LENGTH) return undefined;
  const match = INTEGER.exec(digits);
  if (match === null) return undefined;
  const [, sign = '', hex, octal, binary, legacyOctal, decimal] = match;
  const prefixed: readonly (readonly [string, string | undefined])[] = [
    ['0x', hex],
    ['0o', octal ?? legacyOctal],
    ['0b', binary],
    ['', decimal],
  ];
  const literal = prefixed.flatMap(([prefix, text]) => (text === undefined ? [] : [prefix + text]))[0] ?? '0';
  const value = BigInt(literal) * (sign === '-' ? -1n : 1n);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function resolveFloat(digits: string): number | undefined {
  return FLOAT.test(digits) ? Number(digits) : undefined;
}
