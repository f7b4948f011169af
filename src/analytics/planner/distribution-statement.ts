/** The statement of a distribution: number, sum and percentiles of a measure, by value of a dimension. */
import type { Dimension, DistributionMeasure, Interval } from '../vocabulary.js';
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
const COLUMNS: Readonly<Record<DistributionMeasure, string>> = { CYCLE_TIME_HOURS: 'cycle_ms', CHURN_LOC: 'churn' };

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
      `where ${conditions(dialect, slice, owner, bind)} and ${column} is not null`,
  });
  return (
    `select ${names.join(', ')}, measured, total, p50, p75, p90 from (select totals.*, ` +
    `dense_rank() over (order by units desc, label) as rank1 from (select grouped.*, ` +
    `sum(measured) over (partition by label) as units from (${grouped}) grouped) totals) ranked ` +
    `where rank1 <= ${bind('integer', query.top)}`
  );
}
