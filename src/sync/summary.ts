/** What a sync reports: the object that `--json` prints, and the exit code that goes with it. */
import type { SyncFailure } from './failures.js';
import type { TableName } from './records.js';
import type { ProviderName, Target } from './targets.js';

/** What is counted: the tables of records, and the work units that were derived from them. */
export type CountedName = TableName | 'work_units';

export interface SyncSummary {
  readonly target: Target;
  readonly provider: ProviderName;
  readonly org_id: string;
  readonly repositories: readonly RepositorySummary[];
  readonly duration_ms: number;
}

export interface RepositorySummary {
  /** Null where the repository could not even be identified. */
  readonly id: string | null;
  readonly name: string;
  readonly status: 'ok' | 'failed';
  /** Records stored by this run, by table, and work units written; what there is none of is left out. */
  readonly records: Readonly<Partial<Record<CountedName, number>>>;
  readonly error: SyncFailure | null;
}

/**
 * The exit code of a run that came to its end: 0 all done, 1 failed, 3 some repositories failed, or a secondary
 * database is behind a complete primary one. (2 is for requests that never ran: `parseSyncRequest`.)
 */
export function exitCodeOf(summary: SyncSummary): 0 | 1 | 3 {
  const failed = summary.repositories.filter((repository) => repository.status === 'failed');
  if (failed.length === 0) return 0;
  const isPartial =
    failed.length < summary.repositories.length || failed.some(({ error }) => error?.code === 'secondary_failed');
  return isPartial ? 3 : 1;
}
