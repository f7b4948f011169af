/**
 * The statement of a distribution: number, sum and percentiles of a measure, by value of a dimension; and the number of
 * units that the measure is about, by value and in all. Values without a measured unit come last.
 */
import { PHASE_MEASURES, type Dimension, type DistributionMeasure, type Interval } from '../vocabulary.js';
import type { Dialect } from './dialects.js';
import { bucketColumn, conditions, type Bind, type Slice } from './slices.js';

/** Beside the measures of requests: for each deployment to production 1 or 0, and the hours until incidents were resolved. */
export type QueryMeasure = DistributionMeasure | 'FAILED_CHANGES' | 'RESTORE_HOURS';

/** Number, sum and percentiles by bucket and value of a dimension, for the values with the most measured units. */
export interface DistributionQuery {
  readonly kind: 'distribution';
  /** A slice of the units table: a part of a unit has no duration or size that a percentile could be. */
  readonly slice: Slice;
  /** Null: all values are one, which has no name. */
  readonly dimension: Dimension | null;
  readonly measure: QueryMeasure;
  /** Null: the whole range is one bucket. */
  readonly interval: Interval | null;
  /** The number of values. */
  readonly top: number;
}

/** The stored column of a measure; null where it is unknown. */
const COLUMNS: Readonly<Record<QueryMeasure, string>> = {
  // See the means of the dialects.
  CYCLE_TIME_HOURS: 'nullif(cycle_ms, 0)',
  CHURN_LOC: 'churn',
  CODING_HOURS: 'coding_ms',
  PICKUP_HOURS: 'pickup_ms',
  REVIEW_HOURS: 'review_ms',
  MERGE_HOURS: 'merge_ms',
  DEPLOY_HOURS: 'deploy_ms',
  LEAD_TIME_HOURS: 'lead_ms',
  FAILED_CHANGES: 'change_failed',
  RESTORE_HOURS: 'nullif(cycle_ms, 0)',
};

/** The units that a measure is about; null: all. PostgreSQL has indexes with the conditions on few units. */
function applicable(measure: QueryMeasure): string | null {
  if (measure === 'FAILED_CHANGES') return 'change_failed is not null';
  if (measure === 'RESTORE_HOURS') return "work_type = 'incident'";
  return isPhase(measure) ? `work_type = 'pull_request' and cycle_ms is not null` : null;
}

function isPhase(measure: QueryMeasure): boolean {
  return PHASE_MEASURES.some((each) => each === measure);
}

/** @param owner the placeholder of the organization */
export function distribution(dialect: Dialect, query: DistributionQuery, owner: string, bind: Bind): string {
  const { slice, dimension, interval } = query;
  const column = COLUMNS[query.measure];
  const bucket = interval === null ? [] : [`${bucketColumn(dialect, interval, slice, bind)} as bucket`];
  const names = interval === null ? ['label'] : ['bucket', 'label'];
  const grouped = dialect.percentiles({
    column,
    keys: [...bucket, `${dimension === null ? "''" : dialect.column('units', dimension)} as label`].join(', '),
    names: names.join(', '),
    rows:
      `from ${dialect.from('units', dimension === null ? [] : [dimension], [])} ` +
      `where ${[conditions(dialect, slice, owner, bind), applicable(query.measure) ?? []].flat().join(' and ')}`,
  });
  return (
    `select ${names.join(', ')}, measured, total, p50, p75, p90, about, all_measured, all_about from (` +
    `select totals.*, dense_rank() over (order by units desc, label) as rank1 from (select grouped.*, ` +
    `sum(measured) over (partition by label) as units, sum(measured) over () as all_measured, ` +
    `sum(about) over () as all_about from (${grouped}) grouped) totals) ranked ` +
    `where rank1 <= ${bind('integer', query.top)}`
  );
}
