/** Functions of `--format` templates: those of the Docker CLI, and the most common ones of Go. */
import { printable } from '../text.js';

export const FUNCTIONS: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  json: (value) => JSON.stringify(value),
  upper: (text) => textOf(text).toUpperCase(),
  lower: (text) => textOf(text).toLowerCase(),
  title: (text) => textOf(text).replace(/(^|\s)\S/g, (first) => first.toUpperCase()),
  split: (text, separator) => textOf(text).split(textOf(separator)),
  join: (list, separator) => (Array.isArray(list) ? list.map(textOf).join(textOf(separator)) : textOf(list)),
  pad: (text, before, after) =>
    textOf(text) === '' ? '' : `${' '.repeat(Number(before))}${textOf(text)}${' '.repeat(Number(after))}`,
  truncate: (text, length) => textOf(text).slice(0, Number(length)),
  len: (value) => (Array.isArray(value) ? value.length : textOf(value).length),
  index: (list, at) => (Array.isArray(list) ? (list as unknown[])[Number(at)] : undefined),
  eq: (one, ...others) => others.some((other) => other === one),
  ne: (one, other) => one !== other,
  and: (...values) => values.find((value) => !value) ?? values.at(-1),
  or: (...values) => values.find(Boolean) ?? values.at(-1),
  not: (value) => !value,
  print: (...values) => values.map(textOf).join(''),
  println: (...values) => `${values.map(textOf).join(' ')}\n`,
};

/** The text of a value as a template prints it. Values can come from containers, so control characters are removed. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return printable(value);
  if (value === undefined) return '<no value>';
  return Array.isArray(value) ? `[${value.map(textOf).join(' ')}]` : JSON.stringify(value);
}
