import type { SyncProgress } from '../sync/dependencies.js';

export interface ProgressView {
  readonly progress: SyncProgress;
  /** Moves the cursor to the beginning of an empty line. */
  close(): void;
}
