/** Gives a process its input. */
import type { Writable } from 'node:stream';

/**
 * Copies input until it, or the process, ends. A process that ends first leaves a closed stream, which is no
 * failure; an input that fails is the end of the process's input, and its giver knows why.
 */
export function feed(stream: Writable, input: AsyncIterable<Uint8Array> | undefined): void {
  if (input === undefined) return;
  stream.on('error', () => undefined);
  void (async () => {
    try {
      for await (const data of input) {
        if (stream.destroyed || stream.writableEnded) return;
        if (!stream.write(data)) await roomIn(stream);
      }
    } catch {
      // As above.
    }
    stream.end();
  })();
}

/** Settles when the stream takes more, or never will. */
function roomIn(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('drain', resolve).once('close', resolve);
  });
}
