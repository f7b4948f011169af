import { failure } from '../errors.js';
import type { Place } from '../node.js';
import { expandTemplate, TemplateError } from '../interpolation/template.js';
import type { Lookup } from '../interpolation/template.js';

/**
 * Parses an environment file (Compose Specification, "Environment files"): `KEY=value` or `KEY: value` lines, optional
 * `export`, comments after white space, literal single quotes, double quotes with escapes and over several lines.
 * Unquoted and double-quoted values are interpolated. A key alone takes its value from `lookup`, or is omitted.
 *
 * @param source the file's text
 * @param file its name, for error locations
 * @param variables variables known so far; results are added, and later lines see earlier ones
 * @param lookup values that take precedence over the file's during interpolation
 * @throws ComposeFailure EnvFileError.malformed; its text never contains values
 */
export function readEnvFile(source: string, file: string, variables: Map<string, string>, lookup: Lookup): void {
  const cursor: Cursor = { text: source.replace(/^\uFEFF/, ''), index: 0, file };
  const seen: Lookup = (name) => lookup(name) ?? variables.get(name);
  while (!atEnd(cursor)) {
    const start = cursor.index;
    const { key, hasValue } = readKey(cursor);
    const value = hasValue ? readValue(cursor, key, start, seen) : lookup(key);
    if (value !== undefined) variables.set(key, value);
  }
}

/**
 * Parses an environment file of `format: raw`: each line is a literal `KEY=value`, without quoting or interpolation.
 */
export function readRawEnvFile(source: string, file: string, variables: Map<string, string>, lookup: Lookup): void {
  source.split('\n').forEach((full, index) => {
    const line = full.replace(/\r$/, '').trimStart();
    if (line === '' || line.startsWith('#')) return;
    const [key = ''] = line.split('=', 1);
    if (key === '' || /\s/.test(key)) {
      throw failure(
        'EnvFileError',
        'malformed',
        { reason: 'a name is required and cannot contain white space' },
        { file, line: index + 1, column: 1 },
      );
    }
    const value = line.includes('=') ? line.slice(key.length + 1) : lookup(key);
    if (value !== undefined) variables.set(key, value);
  });
}

interface Cursor {
  readonly text: string;
  index: number;
  readonly file: string;
}

/** White space within a line, as in the reference implementation. */
const BLANK = /[\t\v\f\r \u0085\u00a0]*/y;

/** Skips white space and comments. Returns whether the line ends there. */
function atEnd(cursor: Cursor): boolean {
  take(cursor, /(?:\s+|#[^\n]*)*/y);
  return cursor.index >= cursor.text.length;
}

function readKey(cursor: Cursor): { key: string; hasValue: boolean } {
  take(cursor, /export[^\S\n]+/y);
  const start = cursor.index;
  const key = take(cursor, /[\p{L}\p{N}_.\-[\]]+/uy);
  take(cursor, BLANK);
  const next = cursor.text.charAt(cursor.index);
  if (key !== '' && (next === '\n' || next === '')) return { key, hasValue: false };
  if (key === '' || (next !== '=' && next !== ':')) {
    const spaced = key !== '' && /[\p{L}\p{N}_]/u.test(next);
    cursor.index = start;
    throw malformed(
      spaced ? 'a name cannot contain a space' : 'unexpected character in a variable name',
      placeAt(cursor, cursor.index),
    );
  }
  cursor.index += 1;
  take(cursor, BLANK);
  return { key, hasValue: true };
}

function readValue(cursor: Cursor, key: string, start: number, lookup: Lookup): string {
  const quote = cursor.text.charAt(cursor.index);
  if (quote !== '"' && quote !== "'") {
    const line = take(cursor, /[^\n]*/y);
    const comment = line.indexOf(' #');
    return interpolated((comment === -1 ? line : line.slice(0, comment)).trimEnd(), cursor, start, lookup);
  }
  const content = take(cursor, quote === '"' ? /"(?:[^"\\]+|\\[^])*"/y : /'(?:[^'\\]+|\\[^])*'/y);
  if (content === '') throw malformed(`the quoted value of ${key} has no end`, placeAt(cursor, start));
  checkAfterQuote(cursor, key, start);
  const inner = content.slice(1, -1);
  if (quote === "'") return inner.replaceAll("\\'", "'");
  return interpolated(unescaped(inner), cursor, start, lookup);
}

function checkAfterQuote(cursor: Cursor, key: string, start: number): void {
  const blank = take(cursor, BLANK);
  const next = cursor.text.charAt(cursor.index);
  if (next === '' || next === '\n' || (next === '#' && blank !== '')) return;
  throw malformed(`text follows the closing quote of ${key}`, placeAt(cursor, start));
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '"': '"',
  '\\': '\\',
  // Interpolation follows, and there $$ is a literal dollar sign.
  $: '$$',
};

/** Escapes of double quotes. Unknown escapes are kept as written. Octal escapes are `\0` and three digits. */
function unescaped(text: string): string {
  return text.replace(/\\(?:0([0-3][0-7]{2})|([^]))/g, (whole, octal: string | undefined, char: string | undefined) =>
    octal === undefined ? (ESCAPES[char ?? ''] ?? whole) : String.fromCodePoint(Number.parseInt(octal, 8)),
  );
}

function interpolated(template: string, cursor: Cursor, start: number, lookup: Lookup): string {
  try {
    return expandTemplate(template, lookup);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { problem, variable } = error;
    const place = placeAt(cursor, start);
    throw problem === 'requiredVariable'
      ? failure('InterpolationError', 'requiredVariable', { variable, reason: '' }, place)
      : malformed('an invalid variable expression', place);
  }
}

function take(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.index;
  const match = pattern.exec(cursor.text)?.[0] ?? '';
  cursor.index += match.length;
  return match;
}

function placeAt(cursor: Cursor, index: number): Place {
  const before = cursor.text.slice(0, index).split('\n');
  return { file: cursor.file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function malformed(reason: string, place: Place): Error {
  return failure('EnvFileError', 'malformed', { reason }, place);
}
