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

/** The number of requests that were opened, or that ended, on each day. */
export interface RequestDaysQuery {
  readonly kind: 'request-days';
  /** The days of the slice do not matter here either. */
  readonly slice: Slice;
  readonly event: 'opened' | 'closed';
  /** The days from here on are numbered from 0; earlier events are on day -1. Epoch milliseconds, as `until`. */
  readonly from: number;
  /** Later events are left out. */
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

/** Columns: the number of the day, and that of requests. @param owner as above */
export function requestDays(dialect: Dialect, query: RequestDaysQuery, owner: string, bind: Bind): string {
  const column = `${query.event}_ms`;
  const from = bind('bigint', query.from);
  return (
    `select case when ${column} < ${from} then -1 else ${dialect.days(`${column} - ${from}`)} end as bucket, ` +
    `count(*) as times from ${dialect.from('units', [], [])} ` +
    `where ${selection(dialect, query.slice, owner, bind)} and ${IS_KNOWN} and ${column} < ${bind('bigint', query.until)} ` +
    'group by bucket'
  );
}
