/** Connects a process in a container to this command's input and output. */
import type { AttachedProcess } from '../runtime/records.js';
import { Detached, untilDetached, type DetachKeys } from './detach-keys.js';
import type { Session } from './session.js';

export interface Terminal {
  readonly tty: boolean;
  readonly interactive: boolean;
  /** Absent: Ctrl-P, Ctrl-Q. */
  readonly detachKeys?: DetachKeys | undefined;
}

/**
 * Copies input and output until the process ends.
 *
 * @param start starts the process with the input; the signal ends the attachment, not the process
 * @returns its exit code
 * @throws Detached when the user pressed the detach keys
 * @throws the session's reason when the user interrupts
 */
export async function interact(
  { io, signal: interrupted }: Pick<Session, 'io' | 'signal'>,
  { tty, interactive, detachKeys }: Terminal,
  start: (stdin: AsyncIterable<Uint8Array> | undefined, signal: AbortSignal) => Promise<AttachedProcess>,
): Promise<number> {
  const left = new AbortController();
  const signal = AbortSignal.any([interrupted, left.signal]);
  const detach = (): void => {
    left.abort(new Detached());
  };
  // With a terminal, the process receives each key as pressed, including Ctrl-C.
  const cook = tty ? io.stdin.raw() : () => undefined;
  let unwatch = (): void => undefined;
  try {
    const stdin = tty ? untilDetached(io.stdin, detach, detachKeys) : io.stdin;
    const running = await start(interactive ? stdin : undefined, signal);
    if (tty) {
      const resize = (): void => {
        // A process that has just ended cannot be resized.
        running.resize({ rows: io.stdout.rows, columns: io.stdout.columns }).catch(() => undefined);
      };
      resize();
      unwatch = io.onResize(resize);
    }
    running.exitCode.catch(() => undefined); // Rejects if the output does, which is awaited first.
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
    // The process has ended; do not wait for another key.
    if (interactive) io.stdin.close();
  }
}
