import type { Progress } from '../orchestrator/orchestration.js';
import type { Clock } from '../runtime/clock.js';

export interface ProgressView {
  report(progress: Progress): void;
  /** Prints a hint to the user. */
  note(text: string): void;
  /** Writes other output to the terminal, in order with the progress. */
  beside(write: () => Promise<void>): Promise<void>;
  /** Settles when everything has been written. Earlier output is not redrawn afterwards. */
  close(): Promise<void>;
}

export interface ProgressOptions {
  readonly style: ProgressStyle;
  readonly coloured: boolean;
  readonly clock: Clock;
  /** Whether other output goes to the same terminal. */
  readonly isShared: boolean;
  /** Whether the progress is only what would happen. */
  readonly isDryRun: boolean;
}

/** Precedes each line of a dry run. */
export const DRY_RUN = 'DRY-RUN MODE - ';

export const PROGRESS_STYLES = ['auto', 'tty', 'plain', 'json', 'quiet'] as const;

export type ProgressStyle = (typeof PROGRESS_STYLES)[number];
