/** Limits how much history is requested from the hosts: src/sync/README.md, "What can be synced". */
import type { SyncRequest } from '../sync-request.js';
import { askedSince, type TimeWindow } from '../time-window.js';

const COMMITS = 100;
const COMMITS_WITH_STATS = 50;

/**
 * The maximum number of commits, and of commits with statistics. A time filter or `--max-commits-per-repo` lifts the
 * first, and `--period` both.
 */
export function remoteLimits({ maxCommits, window, period }: SyncRequest): {
  readonly commits: number;
  readonly stats: number;
} {
  const isFiltered = askedSince(window) !== undefined || window.until !== undefined;
  const commits = maxCommits ?? (isFiltered ? Infinity : COMMITS);
  return { commits, stats: period === undefined ? Math.min(commits, COMMITS_WITH_STATS) : commits };
}

/**
 * Describes the history that the limits exclude, as part of the last page.
 * @param count commits that were read
 * @param isCut whether the host has older ones
 */
export function noteOfLimits(
  limits: { readonly commits: number; readonly stats: number },
  count: number,
  isCut: boolean,
): { readonly note?: string } {
  const parts = [
    ...(isCut ? [`only the latest ${limits.commits} commits are read`] : []),
    ...(count > limits.stats ? [`changed files are read of the latest ${limits.stats} commits only`] : []),
  ];
  return parts.length === 0 ? {} : { note: parts.join('; ') };
}

/** The maximum number of runs, deployments or incidents per sync. A time filter that says how far back to read lifts it. */
export function mostEvents(window: TimeWindow): number {
  return askedSince(window) === undefined ? 1000 : Infinity;
}

/** Maximum number of files blamed per sync of a host. Each costs a request or a part of one. */
export const MOST_BLAMED_FILES = 500;

/** The files of a host that are blamed. */
export interface BlamedFiles {
  readonly paths: readonly string[];
  /** Whether the limit excludes other files. */
  readonly isCut: boolean;
}

/**
 * Truncates a list of files at the limit.
 *
 * @param hasMore whether the host has files that are not in the list
 */
export function blamedFiles(paths: readonly string[], hasMore: boolean): BlamedFiles {
  return { paths: paths.slice(0, MOST_BLAMED_FILES), isCut: hasMore || paths.length > MOST_BLAMED_FILES };
}
