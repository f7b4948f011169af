/** The kinds of records that are removed by their age: when they end, and what goes with them. */
import type { WorkType } from '../../analytics/vocabulary.js';
import type { AnyRow, TableName } from '../records.js';
import type { Where } from '../work-units/derivation/database/records.js';
import { PRODUCTION_COLUMNS } from '../work-units/derivation/production-deployments.js';
import { mergedAt } from '../work-units/derivation/request-facts.js';
import { numberOf, numberOrNull, textOf } from '../work-units/row-values.js';

/** The records that are removed by their age. The others go with them. */
export const REMOVABLE = [
  'git_pull_requests',
  'git_commits',
  'issues',
  'incidents',
  'ci_pipeline_runs',
  'deployments',
] as const satisfies readonly TableName[];
export type RemovableTable = (typeof REMOVABLE)[number];

/** How records of a table are removed. */
interface Kind {
  /** The column that identifies a record in its repository. */
  readonly key: string;
  /** The columns that `endOf` reads. */
  readonly times: readonly string[];
  /** Selects at least the old records. */
  readonly where: (before: number) => Where;
  /** When a record ended, in epoch milliseconds; null: it has not. */
  readonly endOf: (row: AnyRow) => number | null;
  /** The units that the record may be. */
  readonly units: readonly WorkType[];
  /** The tables of what belongs to the record, with their columns of its key. */
  readonly parts: readonly (readonly [TableName, string])[];
}

const begunIn =
  (column: string) =>
  (until: number): Where => ({ kind: 'before', column, until });
const all = (): Where => ({ kind: 'all' });

export const KINDS: Readonly<Record<RemovableTable, Kind>> = {
  git_pull_requests: {
    key: 'number',
    times: ['state', 'created_at', 'updated_at', 'merged_at', 'closed_at'],
    where: begunIn('created_at'),
    // The end of a request that was not merged is its day in figures.
    endOf: (row) =>
      textOf(row, 'state') === 'open'
        ? null
        : (mergedAt(row) ?? latestOf(row, ['created_at', 'updated_at', 'closed_at'])),
    units: ['pull_request'],
    parts: [['git_pull_request_reviews', 'number']],
  },
  git_commits: {
    key: 'hash',
    times: ['author_when', 'committer_when'],
    where: begunIn('committer_when'),
    endOf: (row) => latestOf(row, ['author_when', 'committer_when']),
    units: ['commit'],
    parts: [['git_commit_stats', 'commit_hash']],
  },
  issues: {
    key: 'number',
    times: ['state', 'closed_at', 'updated_at'],
    where: begunIn('created_at'),
    endOf: (row) =>
      textOf(row, 'state') === 'open' ? null : (numberOrNull(row, 'closed_at') ?? numberOf(row, 'updated_at')),
    units: ['issue', 'incident'],
    parts: [['issue_state_changes', 'number']],
  },
  incidents: {
    key: 'incident_id',
    times: ['resolved_at'],
    where: begunIn('started_at'),
    endOf: (row) => numberOrNull(row, 'resolved_at'),
    units: ['incident'],
    parts: [],
  },
  ci_pipeline_runs: {
    key: 'run_id',
    times: ['queued_at', 'started_at', 'finished_at'],
    where: begunIn('started_at'),
    endOf: (row) => latestOf(row, ['queued_at', 'started_at', 'finished_at']),
    units: [],
    parts: [],
  },
  deployments: {
    key: 'deployment_id',
    times: [...PRODUCTION_COLUMNS, 'last_synced'],
    where: all,
    // One without any time has no unit, and ends when it was stored.
    endOf: (row) =>
      latestOf(row, ['started_at', 'finished_at', 'deployed_at', 'merged_at', 'committed_at']) ??
      numberOrNull(row, 'last_synced'),
    units: ['deployment'],
    parts: [],
  },
};

function latestOf(row: AnyRow, columns: readonly string[]): number | null {
  const times = columns.flatMap((column) => numberOrNull(row, column) ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

export type Keys = readonly string[] | readonly number[];

/** The keys of some rows. */
export function keysOf(name: RemovableTable, rows: readonly AnyRow[]): Keys {
  const { key } = KINDS[name];
  return key === 'number' ? rows.map((row) => numberOf(row, key)) : rows.map((row) => textOf(row, key));
}

export function isNumbers(keys: Keys): keys is readonly number[] {
  return typeof keys[0] === 'number';
}
