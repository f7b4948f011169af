/** What the tests of host_a share: a host whose replies are as described, requests to it, a history. */
import type { CommitData } from '../support/hosts/host-a-bodies.js';
import type { HostA, HostARepositoryData } from '../support/hosts/host-a.js';
import { startHostA } from '../support/hosts/host-a.js';
import { NOW } from './harness.js';

const CONNECTOR: string = 'octokit';

/** Why the tests of host_a cannot run here; the package is optional. */
export const missing = await import(CONNECTOR).then(
  () => undefined,
  () => 'the optional package octokit is not installed',
);

export function host(...repositories: HostARepositoryData[]): Promise<HostA> {
  return startHostA(...repositories);
}

/** The options of a sync of acme/widgets on it. */
export function options(started: HostA, db: string, more: Record<string, string> = {}) {
  return {
    target: 'git',
    provider: 'github',
    db,
    hostAUrl: started.url,
    auth: started.token,
    owner: 'acme',
    repo: 'widgets',
    ...more,
  };
}

/** A linear history whose hashes are its numbers; newest first. */
export function commits(count: number): CommitData[] {
  return Array.from({ length: count }, (_, index) => ({
    sha: String(count - index).padStart(40, '0'),
    date: new Date(NOW - index * 60_000).toISOString(),
    parents: index === count - 1 ? [] : [String(count - index - 1).padStart(40, '0')],
    files: [{ filename: 'src/a.ts', additions: index, deletions: 1 }],
  }));
}
