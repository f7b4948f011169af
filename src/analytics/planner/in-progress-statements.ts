/** The statements of the work in progress: requests that are open at a moment, and when requests were opened and ended. */
import type { Dimension } from '../vocabulary.js';
import type { Dialect } from './dialects.js';
import { selection, type Bind, type Slice } from './slices.js';

/** Number and age in days of the requests that are open at a moment, by value of a dimension. */
export interface InProgressQuery {
  readonly kind: 'in-progress';
  /** The days of the slice do not matter: a request is open on other days than that of its last activity. */
  readonly slice: Slice;
  /** Null: all values are one, which has no name. */
  readonly dimension: Dimension | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The number of values. */
  readonly top: number;
}

/** The number of requests that were opened, or that ended, in each bucket. */
export interface RequestEventsQuery {
  readonly kind: 'request-events';
  /** The days of the slice do not matter here either. */
  readonly slice: Slice;
  readonly event: 'opened' | 'closed';
  /** The moments at which one bucket ends and the next one begins, in order. The first bucket has all events before. */
  readonly bounds: readonly number[];
  /** The end of the last bucket. Later events are left out. Epoch milliseconds, as all moments. */
  readonly until: number;
}

/** Only the requests that a host reported have it. PostgreSQL has an index with this condition. */
const IS_KNOWN = 'opened_ms is not null';

/**
 * Columns: label; number, sum and percentiles of the ages; the number of requests that had been opened until then.
 *
 * @param owner the placeholder of the organization
 */
export function inProgress(dialect: Dialect, query: InProgressQuery, owner: string, bind: Bind): string {
  const { slice, dimension, at, top } = query;
  const moment = bind('bigint', at);
  const isOpen = `(closed_ms is null or closed_ms >= ${moment})`;
  const grouped = dialect.percentiles({
    column: `case when ${isOpen} then ${dialect.days(`${moment} - opened_ms`)} end`,
    keys: `${dimension === null ? "''" : dialect.column('units', dimension)} as label`,
    names: 'label',
    rows:
      `from ${dialect.from('units', [], [])} ` +
      `where ${selection(dialect, slice, owner, bind)} and ${IS_KNOWN} and opened_ms < ${moment}`,
  });
  return (
    `select label, measured, total, p50, p75, p90, about from (${grouped}) grouped ` +
    `order by measured desc, label limit ${bind('integer', top)}`
  );
}

/** Columns: the number of the bucket, and that of requests. @param owner as above */
export function requestEvents(dialect: Dialect, query: RequestEventsQuery, owner: string, bind: Bind): string {
  const column = `${query.event}_ms`;
  const bounds = query.bounds.map((bound) => bind('bigint', bound));
  return (
    `select ${bucketBetween(column, bounds, 0)} as bucket, count(*) as times from ${dialect.from('units', [], [])} ` +
    `where ${selection(dialect, query.slice, owner, bind)} and ${IS_KNOWN} and ${column} < ${bind('bigint', query.until)} ` +
    'group by bucket'
  );
}

/**
 * The number of the bucket of a moment. Buckets are halved, so that a row takes few comparisons.
 *
 * @param first the number of the first bucket
 */
function bucketBetween(column: string, bounds: readonly string[], first: number): string {
  const middle = Math.floor(bounds.length / 2);
  const bound = bounds[middle];
  if (bound === undefined) return String(first);
  const before = bucketBetween(column, bounds.slice(0, middle), first);
  const after = bucketBetween(column, bounds.slice(middle + 1), first + middle + 1);
  return `case when ${column} < ${bound} then ${before} else ${after} end`;
}
