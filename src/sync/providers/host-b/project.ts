import type { Gitlab } from './client.js';

/** A project on the host, and how to ask about it. */
export interface HostBProject {
  readonly gitlab: Gitlab;
  readonly id: number;
  /** Null in an empty repository. */
  readonly defaultBranch: string | null;
}
