import type { HostAClient } from './client.js';

/** A repository on the host, and the client to query it. */
export interface HostARepository {
  readonly client: HostAClient;
  readonly owner: string;
  readonly repo: string;
  readonly defaultBranch: string;
}
