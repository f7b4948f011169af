/** A string that shell quoting rules cannot split, and why. */
export class ShellWordsError extends Error {
  override readonly name = 'ShellWordsError';
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

const BLANK = /[ \t\r\n]/;
/** Inside double quotes a backslash escapes only these (POSIX.1-2017, XCU 2.2.3). */
const ESCAPABLE_IN_DOUBLE_QUOTES = new Set(['$', '`', '"', '\\', '\n']);

/**
 * Splits a string into words by the quoting rules of the POSIX shell (XCU 2.2). Nothing is expanded and operators are
 * not recognized: `$HOME`, `|` and `*` are literal, because no shell runs the result.
 *
 * @throws ShellWordsError for an unclosed quote or a trailing backslash
 */
export function splitShellWords(input: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let index = 0;
  while (index < input.length) {
    const char = input.charAt(index);
    if (BLANK.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      index += 1;
      continue;
    }
    const piece = readPiece(input, index);
    // A line continuation joins lines and does not start a word.
    if (piece.text !== undefined) word = (word ?? '') + piece.text;
    index = piece.next;
  }
  if (word !== undefined) words.push(word);
  return words;
}

interface Piece {
  readonly text: string | undefined;
  readonly next: number;
}

function readPiece(input: string, index: number): Piece {
  const char = input.charAt(index);
  if (char === "'") return readSingleQuoted(input, index);
  if (char === '"') return readDoubleQuoted(input, index);
  if (char !== '\\') return { text: char, next: index + 1 };
  const escaped = input.charAt(index + 1);
  if (escaped === '') throw new ShellWordsError('trailing backslash');
  return { text: escaped === '\n' ? undefined : escaped, next: index + 2 };
}

function readSingleQuoted(input: string, index: number): Piece {
  const end = input.indexOf("'", index + 1);
  if (end === -1) throw new ShellWordsError('unterminated single quote');
  return { text: input.slice(index + 1, end), next: end + 1 };
}

function readDoubleQuoted(input: string, start: number): Piece {
  let text = '';
  let index = start + 1;
  for (;;) {
    const char = input.charAt(index);
    if (char === '') throw new ShellWordsError('unterminated double quote');
    if (char === '"') return { text, next: index + 1 };
    const following = input.charAt(index + 1);
    if (char === '\\' && ESCAPABLE_IN_DOUBLE_QUOTES.has(following)) {
      if (following !== '\n') text += following;
      index += 2;
    } else {
      text += char;
      index += 1;
    }
  }
}
