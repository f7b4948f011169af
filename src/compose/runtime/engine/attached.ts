/** Combines the output of a process with its exit code. */
import { channel } from '../channel.js';
import type { AttachedProcess, OutputChunk, TerminalSize } from '../records.js';

export function attachedProcess(parts: {
  readonly output: AsyncIterable<OutputChunk>;
  /** Called when the output has ended. */
  readonly exitCode: () => Promise<number>;
  readonly resize: (size: TerminalSize) => Promise<void>;
}): AttachedProcess {
  // A small capacity, because a chunk is up to 32 KiB. A reader that pauses blocks the engine.
  const chunks = channel<OutputChunk>({ capacity: 16 });
  const exitCode = (async () => {
    try {
      for await (const chunk of parts.output) await chunks.push(chunk);
      chunks.end();
    } catch (error) {
      chunks.fail(error);
      throw error;
    }
    return parts.exitCode();
  })();
  // Readers of the output get the failure there. An unread promise must not end the program.
  exitCode.catch(() => undefined);
  return { output: chunks, exitCode, resize: parts.resize };
}
