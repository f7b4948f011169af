/** Merges both outputs of a command into one sequence of lines, in order of arrival. */
import { channel } from './channel.js';
import { linesOf } from './lines.js';
import type { RunningProgram } from './program.js';

/** Ends the command when the reader leaves. The caller must still check its exit code. */
export async function* mergedLines(process: RunningProgram): AsyncGenerator<string, void> {
  const merged = channel<string>({
    onClose: () => {
      process.end();
    },
  });
  const read = async (source: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const line of linesOf(source)) await merged.push(line);
  };
  Promise.all([read(process.stdout), read(process.stderr), process.exit]).then(
    () => {
      merged.end();
    },
    (error: unknown) => {
      merged.fail(error);
    },
  );
  yield* merged;
}
