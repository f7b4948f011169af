/** What the tests of host_a share: a host whose replies are as described, requests to it, a history. */
import type { CommitData } from '../support/hosts/host-a-bodies.js';
import type { HostA, HostARepositoryData } from '../support/hosts/host-a.js';
import { startHostA } from '../support/hosts/host-a.js';
import { NOW } from './harness.js';

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

/** A pull request as a node of GraphQL; higher numbers were updated earlier. */
export function pullRequest(number: number, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    number,
    title: `Change ${number}`,
    body: '',
    state: 'OPEN',
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: new Date(NOW - number * 60_000).toISOString(),
    mergedAt: null,
    closedAt: null,
    headRefName: 'topic',
    baseRefName: 'main',
    headRefOid: 'a'.repeat(40),
    mergeCommit: null,
    additions: 3,
    deletions: 2,
    changedFiles: 1,
    author: { login: 'ada' },
    labels: { nodes: [{ name: 'bug' }] },
    comments: { totalCount: 0, nodes: [] },
    reviews: { totalCount: 0, nodes: [] },
    commits: { nodes: [{ commit: { oid: 'a'.repeat(40) } }] },
    ...changes,
  };
}
