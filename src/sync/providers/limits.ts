/** How much history the hosts are asked for: src/sync/README.md, "What can be synced". */
import type { SyncRequest } from '../request.js';

const COMMITS = 100;
const COMMITS_WITH_STATS = 50;

/** Commits and, of those, commits with statistics; a time filter or `--max-commits-per-repo` lifts the first. */
export function remoteLimits({ maxCommits, window }: SyncRequest): {
  readonly commits: number;
  readonly stats: number;
} {
  const isFiltered = window.since !== undefined || window.until !== undefined;
  const commits = maxCommits ?? (isFiltered ? Infinity : COMMITS);
  return { commits, stats: Math.min(commits, COMMITS_WITH_STATS) };
}

/** Runs, deployments and incidents per sync. */
export const MOST_EVENTS = 1000;

/** Files blamed per sync of a host: each costs a request, or a part of one. */
export const MOST_BLAMED_FILES = 500;
