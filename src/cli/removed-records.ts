/** What commands print about records that were removed by their age. */
import type { RemovableTable } from '../sync/retention/kinds.js';
import type { RemovedRecords } from '../sync/retention/retention.js';
import { oneLine } from './one-line.js';

const NAMES: Readonly<Record<RemovableTable, string>> = {
  git_pull_requests: 'requests',
  git_commits: 'commits',
  issues: 'issues',
  incidents: 'incidents',
  ci_pipeline_runs: 'builds',
  deployments: 'deployments',
};

/** The sum over several organizations. */
export function sumOfRemoved(all: readonly RemovedRecords[]): RemovedRecords {
  const records: Partial<Record<RemovableTable, number>> = {};
  for (const { records: some } of all)
    for (const table of tablesOf()) {
      const rows = some[table];
      if (rows !== undefined) records[table] = (records[table] ?? 0) + rows;
    }
  return {
    records,
    busy: all.flatMap(({ busy }) => busy),
    isComplete: all.every(({ isComplete }) => isComplete),
  };
}

/** One line for each kind of record, and one about repositories that were left alone. */
export function describeRemoved({ records, busy }: RemovedRecords, dryRun: boolean): readonly string[] {
  const lines = tablesOf().map(
    (table) => `${dryRun ? 'Would delete' : 'Deleted'} ${records[table] ?? 0} old ${NAMES[table]}.`,
  );
  if (busy.length === 0) return lines;
  return [...lines, `Left alone, because a sync or another change holds them: ${busy.map(oneLine).join(', ')}.`];
}

function tablesOf(): readonly RemovableTable[] {
  // The object has the keys of the type.
  return Object.keys(NAMES) as RemovableTable[];
}
