import type { HostBClient } from './client.js';

/** A project on the host, and the client to query it. */
export interface HostBProject {
  readonly gitlab: HostBClient;
  readonly id: number;
  /** The full path with its groups, as GraphQL expects it. */
  readonly path: string;
  /** Null if the repository is empty. */
  readonly defaultBranch: string | null;
}
