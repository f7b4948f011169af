import type { HostBClient } from './client.js';

/** A project on the host, and how to ask about it. */
export interface HostBProject {
  readonly gitlab: HostBClient;
  readonly id: number;
  /** With its groups, as GraphQL names it. */
  readonly path: string;
  /** Null in an empty repository. */
  readonly defaultBranch: string | null;
}
