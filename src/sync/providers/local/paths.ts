/** Converts file names to texts: names are bytes in git and Unicode in databases. */
import { isUtf8 } from 'node:buffer';

const ESCAPES: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
};

/**
 * The stored form of the file name in `bytes[start, end)`.
 *
 * A name in UTF-8 is stored unchanged, including newlines, tabs and quotes. Any other name is stored as git quotes it:
 * in double quotes, with C escapes and three octal digits for each byte beyond ASCII. A name that begins with a double
 * quote is quoted, too, so that stored names are unique.
 */
export function storedPath(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  // U+FFFD appears if decoding failed or if the name contains it; only then is the slower check needed.
  if (text.charCodeAt(0) !== 34 && (!text.includes('\ufffd') || isUtf8(bytes.subarray(start, end)))) return text;
  return quoted(bytes.subarray(start, end));
}

function quoted(name: Buffer): string {
  let text = '"';
  for (const byte of name) {
    const escape = ESCAPES[byte];
    if (escape !== undefined) text += escape;
    else if (byte < 32 || byte > 126) text += `\\${byte.toString(8).padStart(3, '0')}`;
    else text += String.fromCharCode(byte);
  }
  return `${text}"`;
}
