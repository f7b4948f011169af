/** Splits byte streams into lines. */
import { StringDecoder } from 'node:string_decoder';

/**
 * A longer line is yielded in parts, so that a program that never ends its line does not exhaust memory. It exceeds the
 * longest event of an engine: one with all labels of a received project, up to a megabyte before escaping.
 */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * Yields each line without its end (`\n` or `\r\n`). A last line without an end counts.
 *
 * @param longest characters after which a line is yielded in parts
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array | string>,
  longest: number = LONGEST_LINE,
): AsyncGenerator<string, void> {
  const cutter = lineCutter(longest);
  for await (const chunk of chunks) yield* cutter.push(chunk);
  yield* cutter.rest();
}

export interface LineCutter {
  /** The lines that the chunk completes. */
  push(chunk: Uint8Array | string): string[];
  /** The remaining text at the end, if any. */
  rest(): string[];
}

export function lineCutter(longest: number = LONGEST_LINE): LineCutter {
  const decoder = new StringDecoder('utf8');
  // Pieces, not one growing string, so that a long line in small chunks takes linear time.
  let pieces: string[] = [];
  let length = 0;
  return {
    push(chunk) {
      const text = typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk));
      const parts = text.split('\n');
      const last = parts.pop() ?? '';
      const lines = parts.map((part, index) => {
        const line = index === 0 ? pieces.join('') + part : part;
        return line.endsWith('\r') ? line.slice(0, -1) : line;
      });
      if (lines.length > 0) [pieces, length] = [[], 0];
      if (last !== '') pieces.push(last);
      length += last.length;
      if (length >= longest) {
        lines.push(pieces.join(''));
        [pieces, length] = [[], 0];
      }
      return lines;
    },
    rest() {
      const line = pieces.join('') + decoder.end();
      [pieces, length] = [[], 0];
      return line === '' ? [] : [line.endsWith('\r') ? line.slice(0, -1) : line];
    },
  };
}
