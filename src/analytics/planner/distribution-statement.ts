/**
 * The statement of a distribution: number, sum and percentiles of a measure, by value of a dimension; and the number of
 * units that the measure is about, by value and in all. Values without a measured unit come last.
 */
import { PHASE_MEASURES, type Dimension, type DistributionMeasure, type Interval } from '../vocabulary.js';
import type { Dialect } from './dialects.js';
import { bucketColumn, conditions, type Bind, type Slice } from './slices.js';

/** Number, sum and percentiles by bucket and value of a dimension, for the values with the most measured units. */
export interface DistributionQuery {
  readonly kind: 'distribution';
  /** Its source is the units table: a part of a unit has no duration or size that a percentile could be. */
  readonly slice: Slice;
  readonly dimension: Dimension;
  readonly measure: DistributionMeasure;
  /** Null: the whole range is one bucket. */
  readonly interval: Interval | null;
  /** The number of values. */
  readonly top: number;
}

/** The stored column of a measure; null where it is unknown. */
const COLUMNS: Readonly<Record<DistributionMeasure, string>> = {
  CYCLE_TIME_HOURS: 'cycle_ms',
  CHURN_LOC: 'churn',
  CODING_HOURS: 'coding_ms',
  PICKUP_HOURS: 'pickup_ms',
  REVIEW_HOURS: 'review_ms',
  MERGE_HOURS: 'merge_ms',
  DEPLOY_HOURS: 'deploy_ms',
  LEAD_TIME_HOURS: 'lead_ms',
};

/** The units that a measure is about; null: all. PostgreSQL has an index with this condition. */
function applicable(measure: DistributionMeasure): string | null {
  return isPhase(measure) ? `work_type = 'pull_request' and cycle_ms is not null` : null;
}

function isPhase(measure: DistributionMeasure): boolean {
  return PHASE_MEASURES.some((each) => each === measure);
}

/** @param owner the placeholder of the organization */
export function distribution(dialect: Dialect, query: DistributionQuery, owner: string, bind: Bind): string {
  const { slice, dimension, interval } = query;
  const column = COLUMNS[query.measure];
  const bucket = interval === null ? [] : [`${bucketColumn(dialect, interval, slice.dateRange, bind)} as bucket`];
  const names = interval === null ? ['label'] : ['bucket', 'label'];
  const grouped = dialect.percentiles({
    column,
    keys: [...bucket, `${dialect.column('units', dimension)} as label`].join(', '),
    names: names.join(', '),
    rows:
      `from ${dialect.from('units', [dimension], [])} ` +
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
