/** Splits byte streams into lines. */
import { StringDecoder } from 'node:string_decoder';

/** Yields each line without its end (`\n` or `\r\n`). A last line without an end counts. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void> {
  const cutter = lineCutter();
  for await (const chunk of chunks) yield* cutter.push(chunk);
  yield* cutter.rest();
}

export interface LineCutter {
  /** The lines that the chunk completes. */
  push(chunk: Uint8Array | string): string[];
  /** The remaining text at the end, if any. */
  rest(): string[];
}

export function lineCutter(): LineCutter {
  const decoder = new StringDecoder('utf8');
  // Pieces, not one growing string, so that a long line in small chunks takes linear time.
  let pieces: string[] = [];
  return {
    push(chunk) {
      const text = typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk));
      const parts = text.split('\n');
      const last = parts.pop() ?? '';
      const lines = parts.map((part, index) => {
        const line = index === 0 ? pieces.join('') + part : part;
        return line.endsWith('\r') ? line.slice(0, -1) : line;
      });
      if (lines.length > 0) pieces = [];
      if (last !== '') pieces.push(last);
      return lines;
    },
    rest() {
      const line = pieces.join('') + decoder.end();
      pieces = [];
      return line === '' ? [] : [line.endsWith('\r') ? line.slice(0, -1) : line];
    },
  };
}
