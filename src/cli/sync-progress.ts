/** Progress of a sync: bars on a terminal, otherwise a line per step. */
import type { WriteStream } from 'node:tty';
import { openBars } from './sync-bars.js';
import { lineProgress } from './sync-lines.js';
import type { ProgressView } from './sync-progress-view.js';

export interface ProgressOptions {
  /** Prints lines on a terminal, too: logged statements would break the bars. */
  readonly lines: boolean;
  /** The current time in epoch milliseconds. */
  readonly now: () => number;
}

/** Opens the view for the stream. */
export function openProgressView(stream: WriteStream, { lines, now }: ProgressOptions): ProgressView {
  if (stream.isTTY && !lines) return openBars(stream);
  return { progress: lineProgress((line) => stream.write(`${line}\n`), now), close: () => undefined };
}
