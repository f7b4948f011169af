/** Writes input to a process. */
import type { Writable } from 'node:stream';

/**
 * Copies input until it ends or the process does. A process that exits first closes the stream, which is not an error.
 * A failing input ends the input of the process; its producer reports the failure.
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
      // The input's producer reports the failure.
    }
    stream.end();
  })();
}

/** Settles when the stream can take more, or is closed. */
function roomIn(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      stream.off('drain', settle).off('close', settle);
      resolve();
    };
    stream.on('drain', settle).on('close', settle);
  });
}
