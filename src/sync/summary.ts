/** The result of a sync: the object that `--json` prints, and the exit code. */
import type { SyncFailure } from './failures.js';
import type { TableName } from './records.js';
import type { Removed } from './prune.js';
import type { Target } from './targets.js';

/** The names in counts: tables of records, and work units. */
export type CountedName = TableName | 'work_units';

export interface SyncSummary {
  readonly target: Target;
  readonly provider: string;
  readonly org_id: string;
  readonly repositories: readonly RepositorySummary[];
  readonly duration_ms: number;
}

export interface RepositorySummary {
  /** Null if the repository could not be identified. */
  readonly id: string | null;
  readonly name: string;
  readonly status: 'ok' | 'failed';
  /** Records stored by this run, by table, and work units written. Zero counts are omitted. */
  readonly records: Readonly<Partial<Record<CountedName, number>>>;
  /** What the sync omitted, although nothing failed; absent if it omitted nothing. */
  readonly notes?: readonly string[];
  /** What a prune removed; absent if none was asked for, or it could not be made. */
  readonly removed?: Removed;
  readonly error: SyncFailure | null;
}

/** The exit code of several syncs: that of the worst one. 1, where nothing succeeded, is worse than 3. */
export function worstExitCode(codes: readonly (0 | 1 | 3)[]): 0 | 1 | 3 {
  if (codes.includes(1)) return 1;
  return codes.includes(3) ? 3 : 0;
}

/**
 * The exit code of a completed run: 0 success; 1 failure; 3 some repositories failed, or the secondary database is
 * behind. (2 is for requests that never ran: `parseSyncRequest`.)
 */
export function exitCodeOf(summary: SyncSummary): 0 | 1 | 3 {
  const failed = summary.repositories.filter((repository) => repository.status === 'failed');
  if (failed.length === 0) return 0;
  const isPartial =
    failed.length < summary.repositories.length || failed.some(({ error }) => error?.code === 'secondary_failed');
  return isPartial ? 3 : 1;
}
