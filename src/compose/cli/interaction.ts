/** Puts a process in a container between this command's input and output. */
import type { AttachedProcess } from '../runtime/records.js';
import type { Session } from './session.js';

/**
 * Passes input and output on until the process ends.
 *
 * @param start starts the process with the input
 * @returns its exit code
 * @throws the signal's reason when the user gives up
 */
export async function interact(
  { io, signal }: Session,
  { tty, interactive }: { readonly tty: boolean; readonly interactive: boolean },
  start: (stdin: AsyncIterable<Uint8Array> | undefined) => Promise<AttachedProcess>,
): Promise<number> {
  // Keys go to the process as they are, Ctrl-C included, where it has a terminal of its own.
  const cook = tty ? io.stdin.raw() : () => undefined;
  let unwatch = (): void => undefined;
  try {
    const running = await start(interactive ? io.stdin : undefined);
    if (tty) {
      const resize = (): void => {
        // A process that has just ended has no size to set.
        running.resize({ rows: io.stdout.rows, columns: io.stdout.columns }).catch(() => undefined);
      };
      resize();
      unwatch = io.onResize(resize);
    }
    running.exitCode.catch(() => undefined); // Rejects as the output does, which is awaited first.
    for await (const { stream, data } of running.output) {
      signal.throwIfAborted();
      await io[stream].write(data);
    }
    signal.throwIfAborted();
    return await running.exitCode;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    unwatch();
    cook();
  }
}
