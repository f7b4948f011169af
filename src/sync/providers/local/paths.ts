/** File names as texts: git's are bytes, databases' are Unicode. */
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
 * The file name in `bytes[start, end)` as it is stored.
 *
 * A name in UTF-8 is stored as it is, newlines, tabs and quotes included. Any other is stored as git quotes it: in double
 * quotes, with C escapes and three octal digits for each byte beyond ASCII. A name that begins with a double quote is
 * quoted too, so that no two names are stored alike.
 */
export function storedPath(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  // U+FFFD appears where decoding failed, or stands in the name itself: only then is the slower check needed.
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
